import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Host, reaches, submit } from '../fixtures/host.ts';
import { expect, test } from '../fixtures/page.ts';

/** A git repository with one commit of `kept` and `removed`. */
function repository(folder: string): string {
  const cwd = join(folder, 'repository');
  mkdirSync(cwd);
  for (const name of ['kept', 'removed']) writeFileSync(join(cwd, name), 'text');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=n', '-c', 'user.email=n@example.org', ...args]);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return cwd;
}

const changesOf = async (host: Host, id: string) =>
  host.client.call('getRunChanges', { params: { id: (await reaches(host, id, 'ACCEPTED')).runId ?? '' } });

test('what a run changes in a repository is told by the API, the command line and the page', async ({
  rig,
  open,
}) => {
  const host = await rig.start();
  const cwd = repository(rig.folder);
  const command = 'printf more >> kept; rm removed; mkdir notes; printf new > notes/today.md';
  const id = await submit(host, { name: 'tidy up', command, cwds: [cwd] });
  expect(await changesOf(host, id)).toEqual({
    items: [
      { path: 'kept', change: 'changed', bytes_before: null, bytes_after: 8 },
      { path: 'notes/today.md', change: 'created', bytes_before: null, bytes_after: 3 },
      { path: 'removed', change: 'deleted', bytes_before: null, bytes_after: null },
    ],
    total: 3,
  });
  const runId = (await reaches(host, id, 'ACCEPTED')).runId ?? '';
  expect(await host.client.call('getRun', { params: { id: runId } })).toMatchObject({
    change_count: 3,
    result_state: 'side_effect_only',
    result_evidence: 'local_file_mutation',
  });
  const shown = rig.cli(['show', runId]).out;
  expect(shown).toMatch(/^Changed files {2}changed kept\n +created notes\/today\.md\n +deleted removed$/m);
  expect(JSON.parse(rig.cli(['show', runId, '--json']).out).changes).toHaveLength(3);
  for (const [locale, title, word] of [
    ['en-US', 'Changed files', 'created'],
    ['zh-CN', '改动的文件', '新建'],
  ] as const) {
    const { page, complaints } = await open(host, { locale });
    await page.getByText('tidy up').first().click();
    const row = page
      .getByRole('region', { name: title })
      .getByRole('listitem')
      .filter({ hasText: 'today.md' });
    await expect(row).toContainText(word);
    expect(complaints).toEqual([]);
  }
});

test('on_changes sends a run to review only when files changed, in a plain folder too', async ({ rig }) => {
  const host = await rig.start();
  const cwd = join(rig.folder, 'plain');
  mkdirSync(cwd);
  const { id } = await host.client.call('createAutomation', {
    body: {
      name: 'maybe',
      kind: 'command',
      command: '[ -e file ] || echo text > file',
      cwds: [cwd],
      review_policy: 'on_changes',
      env: { E2E_FOLDER: host.folder },
    },
  });
  const states: string[] = [];
  for (let round = 0; round < 2; round += 1) {
    const { run } = await host.client.call('runAutomation', { params: { id }, body: {} });
    const state = async () => (await host.client.call('getRun', { params: { id: run.id } })).status;
    await expect.poll(state).toMatch(/ACCEPTED|PENDING_REVIEW|FAILED/);
    states.push(await state());
  }
  expect(states).toEqual(['PENDING_REVIEW', 'ACCEPTED']);
});

test('a secret of the automation is nowhere in what the run leaves, whatever form it prints', async ({
  rig,
}) => {
  const host = await rig.start();
  const secret = `canary/${'0123456789'.repeat(2)}`;
  const command =
    'for c in $(printf %s "$MY_TOKEN" | fold -w1); do printf %s "$c"; sleep 0.01; done; echo; printf %s "$MY_TOKEN" | base64; printf %s "$MY_TOKEN" >&2';
  const id = await submit(host, { command, env: { MY_TOKEN: secret } });
  const { runId } = await reaches(host, id, 'ACCEPTED');
  const { items } = await host.client.call('getRunOutput', { params: { id: runId ?? '' } });
  const text = (stream: string) =>
    items
      .filter((chunk) => chunk.stream === stream)
      .map((chunk) => chunk.text)
      .join('');
  expect([text('stdout'), text('stderr')]).toEqual(['***\n***\n', '***']);
  const run = JSON.stringify(await host.client.call('getRun', { params: { id: runId ?? '' } }));
  expect(run).not.toContain('canary');
});
