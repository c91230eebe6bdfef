import { afterEach, beforeEach, expect, it } from 'vitest';
import type { AutomationCreate } from '../../src-shared/model/automation.ts';
import { type TestEngine, testEngine } from '../testing/test-engine.ts';

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
  Object.assign(test.ctx.agents, {
    claude: { command: ['/bin/claude'], default: false, profile: 'claude', permission_mode: 'plan' },
    codex: { command: ['/bin/codex'], default: false, profile: 'codex' },
  });
});
afterEach(() => test.dispose());

const create = (input: Partial<AutomationCreate>) =>
  test.change(() => test.automations.create({ name: 'task', prompt: 'hello', ...input }, 'api'));

/** Runs it now; the arguments its agent gets, and the run once it has ended with this session of its own. */
async function run(id: string, external_session_id: string | null = null) {
  await test.change(() => test.runs.runNow(id, 'manual', 'api', false));
  await test.clock.advance(0);
  const { argv, run_id, profile } = test.launcher.started.at(-1)!;
  test.launcher.ends(run_id, { external_session_id });
  await test.clock.advance(0);
  return { args: argv.join(' '), profile, row: test.store.runs.get(run_id)! };
}

it('resumes a bound session only for the agent that had it', async () => {
  const { id } = await create({ agent: 'codex', target_mode: 'bound', session_id: 'one' });
  expect((await run(id, 'c-1')).args).not.toContain('resume');
  expect((await run(id)).args).toBe('/bin/codex exec --json --skip-git-repo-check resume c-1 -');
  await test.change(() => test.automations.update(id, { agent: 'claude' }));
  expect((await run(id, 'x-1')).args).not.toContain('--resume');
  expect((await run(id)).args).toContain('--resume x-1');
});

it('an isolated session is always new', async () => {
  const { id } = await create({ agent: 'claude' });
  await run(id, 'x-1');
  expect((await run(id)).args).not.toContain('--resume');
});

it('the row’s permission wins over config.toml’s; a custom agent is given none', async () => {
  const modeOf = async (input: Partial<AutomationCreate>) => {
    const { args, profile, row } = await run((await create(input)).id);
    return {
      flag: /--permission-mode \S+/.exec(args)?.[0] ?? null,
      profile,
      effective: row.effective_permission_mode,
    };
  };
  expect(await modeOf({ agent: 'claude' })).toEqual({
    flag: '--permission-mode plan',
    profile: 'claude',
    effective: 'plan',
  });
  expect(await modeOf({ agent: 'claude', permission_mode: 'fullAccess' })).toMatchObject({
    flag: '--permission-mode bypassPermissions',
    effective: 'fullAccess',
  });
  expect(await modeOf({ agent: 'echo', permission_mode: 'fullAccess' })).toEqual({
    flag: null,
    profile: null,
    effective: null,
  });
});
