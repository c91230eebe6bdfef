import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TemporaryStore, temporaryStore } from '../testing/temporary-store.ts';
import { DatabaseRefusedError } from './errors.ts';
import { backupInto, migrate, newestVersion, schemaVersion } from './migrate.ts';
import { openDatabase, quickCheck } from './open.ts';
import { takeOwnerLock } from './owner-lock.ts';

let temporary: TemporaryStore;
beforeEach(() => {
  temporary = temporaryStore();
});
afterEach(() => temporary.remove());

const plan = (sql: string, ...values: unknown[]): string =>
  (temporary.db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[])
    .map((row) => row.detail)
    .join('; ');

describe('the database', () => {
  it('is opened in WAL with synchronous FULL, foreign keys and an untrusted schema', () => {
    const pragma = (name: string) => temporary.db.pragma(name, { simple: true });
    expect([
      pragma('journal_mode'),
      pragma('synchronous'),
      pragma('foreign_keys'),
      pragma('trusted_schema'),
      pragma('mmap_size'),
    ]).toEqual(['wal', 2, 1, 0, 0]);
    expect(quickCheck(temporary.db)).toEqual([]);
  });

  it('refuses a file from the future and leaves it as it is', () => {
    temporary.db.pragma(`user_version = ${newestVersion + 1}`);
    expect(() => migrate(temporary.db, () => undefined)).toThrow(DatabaseRefusedError);
    expect(schemaVersion(temporary.db)).toBe(newestVersion + 1);
  });

  it('refuses a file of another program', () => {
    const file = join(temporary.folder, 'other.db');
    execFileSync('sqlite3', [file, 'CREATE TABLE notes (text)']);
    expect(() => openDatabase(file)).toThrow(/another program/);
  });

  it('refuses garbage with the way out', () => {
    const file = join(temporary.folder, 'garbage.db');
    execFileSync('sh', ['-c', `head -c 8192 /dev/urandom > ${file}`]);
    expect(() => openDatabase(file)).toThrow(/backups/);
  });

  it('is copied whole, WAL included', () => {
    temporary.store.automations.insert({
      id: 'a',
      name: 'a',
      prompt: '',
      status: 'ACTIVE',
      created_at: 1,
      updated_at: 1,
    });
    const copy = join(temporary.folder, 'copy.db');
    backupInto(temporary.db, copy);
    const db = openDatabase(copy);
    expect(db.prepare('SELECT count(*) FROM automations').pluck().get()).toBe(1);
    db.close();
  });

  it('has one owner at a time, and the lock goes with its process', () => {
    const file = join(temporary.folder, 'nextrun.lock');
    const lock = takeOwnerLock(file);
    expect(lock).not.toBeNull();
    expect(takeOwnerLock(file)).toBeNull();
    lock?.release();
    const again = takeOwnerLock(file);
    expect(again).not.toBeNull();
    again?.release();
  });

  it('begins every compatible table with the columns of WorkBuddy, in their order', () => {
    const columns = (table: string) =>
      (temporary.db.pragma(`table_info(${table})`) as { name: string }[]).map((column) => column.name);
    expect(columns('automations').slice(0, 30)).toEqual(
      'id name prompt status schedule_type next_run_at last_run_at cwds rrule scheduled_at valid_from valid_until model_id model_is_thinking skills_json push_to_wechat push_to_wecom_bot wecom_bot_source owner_user_id owner_status owner_source expert_id expert_marketplace connector_ids_json permission_mode created_at updated_at deleted_at context_window reasoning_effort'.split(
        ' ',
      ),
    );
    expect(columns('automation_runs').slice(0, 13)).toEqual(
      'thread_id automation_id status read_at thread_title source_cwd runs_json result_success metadata_json created_at updated_at failure_code reason_code'.split(
        ' ',
      ),
    );
    expect(columns('sessions').slice(0, 12)).toEqual(
      'id cwd user_id title custom_title status created_at updated_at last_activity_at deleted_at is_playground source_mode'.split(
        ' ',
      ),
    );
  });
});

describe('every hot statement', () => {
  it.each([
    [
      'the due scan',
      "SELECT * FROM automations WHERE status = 'ACTIVE' AND deleted_at IS NULL AND next_run_at IS NOT NULL AND next_run_at <= 5 ORDER BY next_run_at LIMIT 50",
      'nextrun_automations_due',
    ],
    [
      'the nearest due time',
      "SELECT next_run_at FROM automations WHERE status = 'ACTIVE' AND deleted_at IS NULL AND next_run_at IS NOT NULL AND next_run_at > 5 ORDER BY next_run_at LIMIT 1",
      'nextrun_automations_due',
    ],
    [
      'unchecked rows',
      'SELECT * FROM automations WHERE unchecked = 1 LIMIT 50',
      'nextrun_automations_unchecked',
    ],
    [
      'the queue',
      "SELECT * FROM automation_runs INDEXED BY nextrun_runs_queue WHERE status = 'QUEUED' AND not_before <= 5 ORDER BY priority DESC, queue_order, queued_at, rowid LIMIT 100",
      'nextrun_runs_queue',
    ],
    [
      'what runs',
      "SELECT count(*) FROM automation_runs INDEXED BY nextrun_runs_active WHERE status = 'IN_PROGRESS'",
      'nextrun_runs_active',
    ],
    [
      'the open runs of one automation',
      "SELECT * FROM automation_runs INDEXED BY nextrun_runs_open WHERE automation_id = 'a' AND status IN ('QUEUED', 'IN_PROGRESS')",
      'nextrun_runs_open',
    ],
    [
      'the interruptions of one key',
      "SELECT count(*) FROM automation_runs INDEXED BY nextrun_runs_failed_key WHERE status = 'FAILED' AND run_key = 'k' AND automation_id = 'a'",
      'nextrun_runs_failed_key',
    ],
    [
      'a page of runs',
      "SELECT * FROM automation_runs WHERE (created_at, thread_id) < (5, 'x') ORDER BY created_at DESC, thread_id DESC LIMIT 50",
      'nextrun_runs_page',
    ],
    [
      'a page of one automation',
      "SELECT * FROM automation_runs WHERE automation_id = 'a' AND (created_at, thread_id) < (5, 'x') ORDER BY created_at DESC, thread_id DESC LIMIT 50",
      'nextrun_runs_page_automation',
    ],
    [
      'a page of one status',
      "SELECT * FROM automation_runs WHERE status = 'FAILED' ORDER BY created_at DESC, thread_id DESC LIMIT 50",
      'nextrun_runs_page_status',
    ],
    ['a slot', "SELECT * FROM slots WHERE automation_id = 'a' AND scheduled_for = 5", 'PRIMARY KEY'],
  ])('%s uses its index and sorts nothing', (_, sql, index) => {
    const detail = plan(sql);
    expect(detail).toContain(index);
    expect(detail).not.toMatch(/SCAN automation(s|_runs)(?! USING)/);
    expect(detail).not.toContain('TEMP B-TREE');
  });
});

describe('triggers', () => {
  const fields = {
    id: 'a',
    name: 'a',
    prompt: '',
    status: 'ACTIVE',
    created_at: 1,
    updated_at: 1,
    unchecked: 0,
  };

  it('tell an edit of another program from ours', () => {
    temporary.store.automations.insert(fields);
    temporary.store.automations.update('a', { next_run_at: 5 });
    expect(temporary.store.automations.get('a')).toMatchObject({ rev: 1, unchecked: 0 });
    execFileSync('sqlite3', [
      temporary.file,
      "UPDATE automations SET next_run_at = 7, name = 'b' WHERE id = 'a'",
    ]);
    expect(temporary.store.automations.get('a')).toMatchObject({ rev: 2, unchecked: 1, next_run_at: 7 });
    expect(
      temporary.store.automations
        .foreignEdits('a')
        .map(({ field, old_value, new_value }) => [field, old_value, new_value]),
    ).toEqual([
      ['name', 'a', 'b'],
      ['next_run_at', 5, 7],
    ]);
  });

  it('log what anybody changes', () => {
    const before = temporary.store.changes.newest();
    execFileSync('python3', [
      '-c',
      `import sqlite3; db = sqlite3.connect('${temporary.file}'); db.execute("INSERT INTO automations (id, name, prompt, status, created_at, updated_at) VALUES ('x', 'x', '', 'ACTIVE', 1, 1)"); db.execute("DELETE FROM automations WHERE id = 'x'"); db.commit()`,
    ]);
    expect(
      temporary.store.changes.after(before, 10).map(({ table_name, row_id, op }) => [table_name, row_id, op]),
    ).toEqual([
      ['automations', 'x', 'insert'],
      ['automations', 'x', 'delete'],
    ]);
  });
});

describe('a run', () => {
  it('changes state only from the state that was seen, under its lease', () => {
    const { runs } = temporary.store;
    runs.insert({ thread_id: 'r', automation_id: 'a', status: 'QUEUED', created_at: 1, updated_at: 1 });
    expect(runs.move('r', 'IN_PROGRESS', { lease_token: 't' }, { from: 'QUEUED' })).toBe(true);
    expect(runs.move('r', 'IN_PROGRESS', { lease_token: 'u' }, { from: 'QUEUED' })).toBe(false);
    expect(runs.move('r', 'ACCEPTED', {}, { from: 'IN_PROGRESS', lease_token: 'u' })).toBe(false);
    expect(runs.move('r', 'ACCEPTED', {}, { from: 'IN_PROGRESS', lease_token: 't' })).toBe(true);
    expect(runs.get('r')?.status).toBe('ACCEPTED');
  });

  it('cannot be doubled for a slot, nor run twice beside itself', () => {
    const { runs } = temporary.store;
    const row = { automation_id: 'a', status: 'QUEUED', created_at: 1, updated_at: 1, scheduled_for: 5 };
    runs.insert({ thread_id: 'r', ...row });
    expect(() => runs.insert({ thread_id: 's', ...row, exclusive: 0 })).toThrow(/UNIQUE/);
    expect(() => runs.insert({ thread_id: 's', ...row, scheduled_for: 6 })).toThrow(/UNIQUE/);
  });

  it('is paged without holes or repeats', () => {
    const { runs } = temporary.store;
    for (let index = 0; index < 25; index += 1) {
      runs.insert({
        thread_id: `r${index}`,
        automation_id: `a${index}`,
        status: 'FAILED',
        created_at: Math.floor(index / 3),
        updated_at: 1,
      });
    }
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = runs.list({}, 4, cursor);
      seen.push(...page.items.map((run) => run.thread_id));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect(new Set(seen).size).toBe(25);
    expect(seen).toHaveLength(25);
  });
});
