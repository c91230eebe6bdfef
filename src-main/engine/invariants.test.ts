import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canMove } from '../../src-shared/logic/run-state.ts';
import {
  missedPolicySchema,
  onInterruptSchema,
  overlapPolicySchema,
} from '../../src-shared/model/policies.ts';
import type { RunStatus } from '../../src-shared/model/run.ts';
import { metadataOf } from '../storage/codec.ts';
import type { AutomationRow } from '../storage/rows.ts';
import { type TestEngine, testEngine } from '../testing/test-engine.ts';

const minute = 60_000;

type Step =
  | { do: 'create'; every: number; overlap: string; missed: string; interrupt: string; retries: number }
  | { do: 'foreign'; in: number }
  | { do: 'postpone' | 'runNow' | 'cancel' | 'pause' | 'resume' | 'delete'; pick: number }
  | { do: 'finish'; pick: number; result: 'success' | 'network' | 'exit_code' | 'timed_out' }
  | { do: 'pass' | 'jump'; minutes: number }
  | { do: 'kill' };

const pick = fc.nat(20);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      every: fc.constantFrom(0, 1, 2, 7),
      overlap: fc.constantFrom(...overlapPolicySchema.options),
      missed: fc.constantFrom(...missedPolicySchema.options),
      interrupt: fc.constantFrom(...onInterruptSchema.options),
      retries: fc.nat(2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('foreign' as const), in: fc.integer({ min: -5, max: 5 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'postpone' as const,
        'runNow' as const,
        'cancel' as const,
        'pause' as const,
        'resume' as const,
        'delete' as const,
      ),
      pick,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('finish' as const),
      pick,
      result: fc.constantFrom(
        'success' as const,
        'network' as const,
        'exit_code' as const,
        'timed_out' as const,
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 4 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('jump' as const), minutes: fc.integer({ min: -20, max: 300 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'kill' as const }) },
);

/** Watches a history: what it saw before decides what may be seen next. */
class Watch {
  readonly #seen = new Map<string, RunStatus>();
  readonly #planned = new Map<string, number>();
  readonly #test: TestEngine;

  constructor(test: TestEngine) {
    this.#test = test;
  }

  check(): void {
    const { store, ctx, clock } = this.#test;
    const runs = store.runs.list({}, 10_000).items;
    expect(runs.filter((run) => run.status === 'IN_PROGRESS').length).toBeLessThanOrEqual(
      ctx.settings.max_concurrent,
    );
    const waiting = store.runs.waiting(clock.now(), 1000);
    expect(waiting.map((run) => metadataOf(run).queuedPosition)).toEqual(
      waiting.map((_, index) => index + 1),
    );
    const attempts = runs
      .filter((run) => run.scheduled_for !== null)
      .map((run) => `${run.automation_id} ${run.scheduled_for} ${run.attempt}`);
    expect(new Set(attempts).size).toBe(attempts.length);
    for (const run of runs) {
      const before = this.#seen.get(run.thread_id);
      const now = run.status as RunStatus;
      if (before !== undefined && before !== now)
        expect(reachable(before, now), `${before} → ${now}`).toBe(true);
      this.#seen.set(run.thread_id, now);
      if (now !== 'QUEUED') expect(metadataOf(run).queuedPosition).toBeUndefined();
      if (now !== 'IN_PROGRESS') expect([run.lease_token, run.holder, run.pid]).toEqual([null, null, null]);
      if (now === 'FAILED' || now === 'ACCEPTED' || now === 'CANCELLED')
        expect(run.finished_at).not.toBeNull();
    }
    for (const row of store.automations.list({}, 1000).items) this.#checkAutomation(row);
  }

  #checkAutomation(row: AutomationRow): void {
    const { store } = this.#test;
    const open = store.runs.openOf(row.id).length;
    if (row.status === 'ACTIVE' && row.unchecked === 0) {
      const planned =
        row.next_run_at !== null || row.schedule_kind === 'manual' || row.attention_code !== null || open > 0;
      expect(planned, `${row.id} is ACTIVE and nothing says why it has no next run`).toBe(true);
    }
    const before = this.#planned.get(row.id);
    const next = row.next_slot_at;
    if (before !== undefined && before !== next) {
      expect(store.slots.get(row.id, before), `the slot ${before} of ${row.id} left no trace`).toBeDefined();
    }
    if (next === null) this.#planned.delete(row.id);
    else this.#planned.set(row.id, next);
  }

  /** Another program moved the due time: that is an edit, not an advance. */
  forget(id: string): void {
    this.#planned.delete(id);
  }
}

/** More than one move may lie between two looks. */
function reachable(from: RunStatus, to: RunStatus): boolean {
  if (from === 'IN_PROGRESS' && to === 'QUEUED') return false;
  return canMove(from, to) || (from === 'QUEUED' && canMove('IN_PROGRESS', to));
}

async function perform(test: TestEngine, watch: Watch, step: Step, serial: number): Promise<void> {
  const all = test.store.automations.list({}, 1000).items;
  const chosen = 'pick' in step ? all[step.pick % Math.max(1, all.length)] : undefined;
  const now = test.clock.now();
  if (step.do === 'create') {
    const schedule =
      step.every === 0
        ? { kind: 'at' as const, at: new Date(now + minute).toISOString() }
        : { kind: 'every' as const, interval_ms: step.every * minute };
    await test.change(() =>
      test.automations.create(
        {
          name: 't',
          prompt: 'p',
          schedule,
          overlap_policy: overlapPolicySchema.parse(step.overlap),
          missed_policy: missedPolicySchema.parse(step.missed),
          on_interrupt: onInterruptSchema.parse(step.interrupt),
          max_retries: step.retries,
        },
        'api',
      ),
    );
  } else if (step.do === 'foreign') {
    test.db
      .prepare(
        "INSERT INTO automations (id, name, prompt, status, created_at, updated_at, next_run_at) VALUES (?, 'f', 'p', 'active', ?, ?, ?)",
      )
      .run(`foreign-${serial}`, now, now, now + step.in * minute);
    test.engine.poke();
    await test.clock.advance(0);
  } else if (step.do === 'postpone' && chosen !== undefined) {
    watch.forget(chosen.id);
    test.db.prepare('UPDATE automations SET next_run_at = ? WHERE id = ?').run(now + minute, chosen.id);
    test.engine.poke();
    await test.clock.advance(0);
  } else if (step.do === 'finish') {
    const live = test.store.runs.inProgress();
    const run = live[step.pick % Math.max(1, live.length)];
    if (run === undefined) return;
    const open = step.result === 'timed_out';
    test.launcher.ends(
      run.thread_id,
      step.result === 'success' ? {} : { result: open ? 'open' : 'failure', reason: step.result },
    );
    await test.clock.advance(0);
  } else if (step.do === 'pass') await test.clock.advance(step.minutes * minute);
  else if (step.do === 'jump') {
    test.clock.jump(step.minutes * minute);
    await test.clock.advance(1000);
  } else if (step.do === 'kill') await test.restart();
  else if (chosen !== undefined) await request(test, step.do, chosen);
}

async function request(test: TestEngine, what: string, chosen: AutomationRow): Promise<void> {
  const open = test.store.runs.openOf(chosen.id)[0];
  const stop = await test
    .change(() => {
      if (what === 'runNow') return test.runs.runNow(chosen.id, 'manual', 'api', false).stop;
      if (what === 'cancel') return open === undefined ? [] : test.runs.cancel(open.thread_id).stop;
      if (what === 'pause') test.automations.pause(chosen.id, false);
      else if (what === 'resume') test.automations.resume(chosen.id);
      else test.automations.remove(chosen.id);
      return [];
    })
    .catch((error: unknown) => {
      // A request that is refused must leave everything as it was; that is what is checked next.
      if (error instanceof Error && error.name === 'ApiError') return [];
      throw error;
    });
  for (const id of stop) test.engine.cancelRunning(id);
  await test.clock.advance(0);
}

it('holds every invariant through random histories with kills, clock jumps and foreign writes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const test = await testEngine({ max_concurrent: 2 });
      const watch = new Watch(test);
      try {
        for (const [serial, one] of steps.entries()) {
          await perform(test, watch, one, serial);
          watch.check();
        }
        expect(test.log.filter((line) => line.startsWith('error'))).toEqual([]);
        expect(test.db.pragma('integrity_check', { simple: true })).toBe('ok');
      } finally {
        await test.dispose();
      }
    }),
    { numRuns: 40 },
  );
}, 120_000);
