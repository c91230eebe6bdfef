import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../storage/open.ts';
import { type TestEngine, testEngine, testStart } from '../testing/test-engine.ts';
import { backupRequest, dueBackup, maintenance } from './backup.ts';

const hour = 3_600_000;
const day = 24 * hour;
const sweep = 2 * 60_000;

let test: TestEngine;
beforeEach(async () => {
  test = await testEngine();
});
afterEach(() => test.dispose());

const backups = () => readdirSync(test.ctx.backupsFolder).toSorted();
const items = () => test.store.taskItems.list({}, 100).items;
const asked = async () => {
  const { added, existing } = await test.engine.tasks.enqueue([backupRequest]);
  await test.clock.advance(0);
  return [...added, ...existing][0]!.id;
};

describe('a backup', () => {
  it('is a whole, private database of its own, named by its instant', async () => {
    await test.change(() => test.automations.create({ name: 'kept', prompt: 'p' }, 'api'));
    await test.clock.advance(1500);
    const id = await asked();
    const file = join(test.ctx.backupsFolder, 'backup-2026-11-29T08-00-01-500Z.db');
    const item = test.store.taskItems.get(id)!;
    expect(item).toMatchObject({ status: 2, error_message: null });
    expect(JSON.parse(item.metadata!)).toEqual({ file, bytes: statSync(file).size });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(backups()).toHaveLength(2);
    const copy = openDatabase(file, { readonly: true });
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(copy.pragma('user_version', { simple: true })).toBe(
      test.db.pragma('user_version', { simple: true }),
    );
    expect(copy.prepare('SELECT name FROM automations').pluck().all()).toEqual(['kept']);
    copy.close();
    expect(test.db.pragma('database_list')).toHaveLength(1);
  });

  it('keeps the newest seven, and every file of another kind', async () => {
    writeFileSync(join(test.ctx.backupsFolder, 'before-migration-10-1.db'), 'x');
    writeFileSync(join(test.ctx.backupsFolder, 'backup-mine.db'), 'x');
    for (let made = 0; made < 9; made += 1) {
      await test.clock.advance(1000);
      await asked();
    }
    const names = backups();
    expect(names).toHaveLength(9);
    expect(names).toContain('before-migration-10-1.db');
    expect(names).toContain('backup-mine.db');
    expect(names).toContain('backup-2026-11-29T08-00-03-000Z.db');
    expect(names).not.toContain('backup-2026-11-29T08-00-02-000Z.db');
  });

  it('never throws its own file away, also when the clock was set back', async () => {
    for (let made = 0; made < 7; made += 1) {
      await test.clock.advance(1000);
      await asked();
    }
    test.clock.jump(-30 * day);
    const { metadata } = test.store.taskItems.get(await asked())!;
    expect(statSync(JSON.parse(metadata!).file).size).toBeGreaterThan(0);
    expect(backups()).toHaveLength(7);
  });

  it('holds under its final name only what passed the check; what a killed host left is removed', async () => {
    writeFileSync(join(test.ctx.backupsFolder, 'backup-2026-01-01T00-00-00-000Z.db.partial'), 'half');
    const { checkCopy } = test.store;
    const before = backups().filter((name) => name.endsWith('.db'));
    test.store.checkCopy = () => {
      throw new Error('row 7 missing from index');
    };
    await test.clock.advance(1000);
    const id = await asked();
    test.store.checkCopy = checkCopy;
    expect(test.store.taskItems.get(id)).toMatchObject({
      status: 3,
      error_message: 'row 7 missing from index',
      completed_at: testStart + 1000,
    });
    expect(backups()).toEqual(before);
  });

  it('is checked for real: a damaged copy is refused', async () => {
    const file = join(test.folder, 'copy.db');
    await test.change(() => {
      for (let index = 0; index < 50; index += 1)
        test.automations.create({ name: `task ${index}`, prompt: 'p'.repeat(500) }, 'api');
    });
    test.store.copyInto(file);
    expect(() => test.store.checkCopy(file)).not.toThrow();
    const { openSync, writeSync, closeSync } = await import('node:fs');
    const handle = openSync(file, 'r+');
    writeSync(handle, Buffer.alloc(4096 * 3, 0x5a), 0, 4096 * 3, 4096 * 2);
    closeSync(handle);
    expect(() => test.store.checkCopy(file)).toThrow();
    expect(test.db.pragma('database_list')).toHaveLength(1);
  });

  it('while others commit is consistent, and a foreign open and close leaves our -wal alone', async () => {
    const other = test.foreign();
    const insert = other.prepare(
      "INSERT INTO automations (id, name, prompt, status, created_at, updated_at) VALUES (?, 'n', 'p', 'PAUSED', 1, 1)",
    );
    for (let index = 0; index < 20; index += 1) insert.run(`x${index}`);
    const id = await asked();
    for (let index = 20; index < 40; index += 1) insert.run(`x${index}`);
    other.close();
    expect(test.store.taskItems.get(id)!.status).toBe(2);
    expect(statSync(`${test.file}-wal`).size).toBeGreaterThan(0);
    expect(test.db.prepare('SELECT count(*) FROM automations').pluck().get()).toBe(40);
  });

  it('of anything else than the database is refused', async () => {
    await test.engine.tasks.enqueue([{ task_type: 'Maintenance', entity_id: 'polish' }]);
    await test.clock.advance(0);
    expect(items()[0]).toMatchObject({ status: 3, error_message: 'Maintenance knows no "polish"' });
    await expect(
      maintenance(test.ctx)({ ...backupRequest } as never, {
        signal: AbortSignal.abort(new Error('stop')),
        touch: () => undefined,
      }),
    ).rejects.toThrow('stop');
  });
});

describe('by itself', () => {
  it('one is made at the start when there is none, and then one a day', async () => {
    expect(backups()).toEqual(['backup-2026-11-29T08-00-00-000Z.db']);
    test.clock.jump(day - sweep - 1);
    await test.clock.advance(sweep);
    expect(backups()).toHaveLength(1);
    await test.clock.advance(sweep);
    expect(backups()).toHaveLength(2);
    await test.restart();
    expect(backups()).toHaveLength(2);
    expect(items()).toHaveLength(2);
    test.clock.jump(day);
    await test.restart();
    expect(backups()).toHaveLength(3);
  });

  it('one that failed is tried again after an hour', async () => {
    test.clock.jump(2 * day);
    test.store.copyInto = () => {
      throw new Error('disk full');
    };
    await test.clock.advance(sweep);
    expect(items()).toMatchObject([{ status: 3, error_message: 'disk full' }, { status: 2 }]);
    test.clock.jump(hour - sweep - 1);
    await test.clock.advance(sweep);
    expect(items()).toHaveLength(2);
    await test.clock.advance(sweep);
    expect(items()).toHaveLength(3);
  });

  it('a backup of the future does not put it off', () => {
    mkdirSync(test.ctx.backupsFolder, { recursive: true });
    expect(dueBackup(test.ctx)).toEqual([]);
    test.clock.jump(-day);
    expect(dueBackup(test.ctx)).toEqual([backupRequest]);
  });
});
