import { describe, expect, it } from 'vitest';
import { doctorSchema } from '../contract/doctor.ts';
import { doctor } from './doctor.ts';
import { sizeText } from './doctor-check.ts';
import type { DoctorInput, MachineFacts, RowFacts } from './doctor-input.ts';

const now = Date.UTC(2026, 10, 29, 8);
const gibibyte = 1024 ** 3;

const machine: MachineFacts = {
  owner: 'self',
  lock_file: true,
  database_bytes: 5_000_000,
  wal_bytes: 4096,
  disk: { free_bytes: 50 * gibibyte, total_bytes: 100 * gibibyte },
  server: { state: 'alive', pid: 7, port: 8899, self: true },
  configured_port: 8899,
  agents: [{ name: 'claude', program: 'claude', default: true, found: true }],
};
const none = { count: 0, names: [] };
const rows: RowFacts = {
  lease: { holder: 'me', pid: 7, expires_at: now + 40_000 },
  active: 3,
  agents_used: [{ agent: 'claude', found: true, count: 2 }],
  overdue: none,
  unaccounted: none,
  stuck_runs: none,
  unchecked: 0,
  attention: [],
  change_log: 20_000,
  failing: none,
};
const input = (change: Partial<DoctorInput> = {}): DoctorInput => ({
  now,
  version: '1.2.3',
  engine: { running: true, last_scan_at: now - 10_000, holder: 'me' },
  scheduling: { enabled: true, paused: false, paused_until: null },
  port: 8899,
  machine,
  database: { complaints: [], schema_version: 10, newest_version: 10 },
  rows,
  ...change,
});
const onMachine = (change: Partial<MachineFacts>) => input({ machine: { ...machine, ...change } });
const onRows = (change: Partial<RowFacts>) => input({ rows: { ...rows, ...change } });
/** The checks that are not well, as `status code` and the repair's action. */
const findings = (given: DoctorInput) =>
  doctor(given)
    .checks.filter((check) => check.status !== 'ok')
    .map((check) => `${check.status} ${check.code}: ${check.repair?.action ?? 'nothing'}`);

describe('the doctor', () => {
  it('finds nothing where everything is well, and looks at everything', () => {
    const found = doctor(input());
    expect(doctorSchema.parse(found)).toEqual(found);
    expect(found).toMatchObject({ status: 'ok', version: '1.2.3', now });
    expect(found.checks.map((check) => check.code)).toEqual([
      'engine',
      'scheduling',
      'owner_lock',
      'database',
      'schema',
      'database_size',
      'disk',
      'port',
      'lease',
      'agent',
      'overdue',
      'ledger',
      'stuck_runs',
      'unchecked',
      'attention',
      'change_log',
      'failing',
    ]);
    for (const check of found.checks)
      expect([check.en, check.zh].every((text) => text.length > 3)).toBe(true);
  });

  it.each<[string, DoctorInput, string[]]>([
    [
      'an engine that is stuck',
      input({ engine: { running: true, last_scan_at: now - 96_000, holder: 'me' } }),
      ['fail engine: restart'],
    ],
    [
      'an engine that has not scanned yet',
      input({ engine: { running: true, last_scan_at: null, holder: 'me' } }),
      [],
    ],
    [
      'an engine that is starting',
      input({ engine: { running: false, last_scan_at: null, holder: 'me' }, rows: { ...rows, lease: null } }),
      ['warn engine: restart'],
    ],
    [
      'scheduling off',
      input({ scheduling: { enabled: false, paused: false, paused_until: null } }),
      ['warn scheduling: enable_scheduling'],
    ],
    [
      'everything paused',
      input({ scheduling: { enabled: true, paused: true, paused_until: now } }),
      ['warn scheduling: resume_all'],
    ],
    ['a lock file that was removed', onMachine({ lock_file: false }), ['fail owner_lock: restart']],
    [
      'a damaged database, whose rows are not read',
      input({
        database: { complaints: ['row 3 missing'], schema_version: 10, newest_version: 10 },
        rows: null,
      }),
      ['fail database: restore_backup'],
    ],
    [
      'a large database, which is not checked',
      input({ database: { complaints: null, schema_version: 10, newest_version: 10 } }),
      [],
    ],
    [
      'another schema',
      input({ database: { complaints: [], schema_version: 9, newest_version: 10 } }),
      ['fail schema: restart'],
    ],
    ['a WAL that does not shrink', onMachine({ wal_bytes: gibibyte }), ['warn database_size: close_readers']],
    ['a huge database', onMachine({ database_bytes: 5 * gibibyte }), ['warn database_size: keep_less']],
    [
      'little space',
      onMachine({ disk: { free_bytes: gibibyte / 2, total_bytes: gibibyte } }),
      ['warn disk: free_space'],
    ],
    ['no space', onMachine({ disk: { free_bytes: 0, total_bytes: gibibyte } }), ['fail disk: free_space']],
    ['a disk that does not tell', onMachine({ disk: null }), ['warn disk: nothing']],
    [
      'server.json of somebody else',
      onMachine({ server: { state: 'alive', pid: 8, port: 8899, self: false } }),
      ['fail port: restart'],
    ],
    ['server.json that was removed', onMachine({ server: { state: 'missing' } }), ['fail port: restart']],
    [
      'server.json that others may write',
      onMachine({ server: { state: 'unsafe' } }),
      ['fail port: remove_server_file'],
    ],
    ['a lease that is not renewed', onRows({ lease: null }), ['warn lease: restart']],
    [
      'a lease of another process',
      onRows({ lease: { holder: 'x', pid: 9, expires_at: now + 1 } }),
      ['fail lease: restart'],
    ],
    [
      'an agent whose program is gone',
      onMachine({ agents: [{ name: 'claude', program: 'claude', default: true, found: false }] }),
      ['fail agent: configure_agent'],
    ],
    [
      'an unused agent whose program is gone',
      onMachine({
        agents: [...machine.agents, { name: 'old', program: 'old', default: false, found: false }],
      }),
      ['warn agent: configure_agent'],
    ],
    [
      'tasks without an agent',
      onRows({ agents_used: [{ agent: null, found: false, count: 2 }] }),
      ['fail agent_missing: configure_agent'],
    ],
    ['overdue tasks', onRows({ overdue: { count: 7, names: ['a', 'b'] } }), ['fail overdue: why']],
    [
      'a next run that moved on without a record',
      onRows({ unaccounted: { count: 1, names: ['a'] } }),
      ['warn ledger: report'],
    ],
    ['stuck runs', onRows({ stuck_runs: { count: 1, names: ['a'] } }), ['fail stuck_runs: restart']],
    ['rows nobody looked at', onRows({ unchecked: 2 }), ['fail unchecked: read_log']],
    [
      'attention, by code',
      onRows({
        attention: [
          { code: 'missed', count: 4 },
          { code: 'cannot_plan', count: 1 },
        ],
      }),
      ['warn attention: why', 'warn attention: why'],
    ],
    ['a change log that grows', onRows({ change_log: 60_000 }), ['warn change_log: restart']],
    ['failing tasks', onRows({ failing: { count: 1, names: ['a'] } }), ['warn failing: show_runs']],
  ])('finds %s', (_name, given, expected) => {
    expect(findings(given)).toEqual(expected);
  });

  it('counts what it does not name', () => {
    const found = doctor(onRows({ overdue: { count: 7, names: ['a', 'b'] } }));
    expect(found.checks.find((check) => check.code === 'overdue')?.en).toBe('7 tasks are overdue: a, b +5');
  });
});

describe('without an engine', () => {
  const offline = (change: Partial<MachineFacts> = {}, more: Partial<RowFacts> = {}) =>
    input({
      engine: null,
      port: null,
      machine: { ...machine, owner: 'nobody', server: { state: 'missing' }, ...change },
      rows: { ...rows, lease: null, ...more },
    });

  it('fails when something is planned, and warns when nothing is', () => {
    expect(findings(offline())).toEqual(['fail engine: serve']);
    expect(findings(offline({}, { active: 0 }))).toEqual(['warn engine: serve']);
  });

  it('tells a host that cannot be reached from one that was killed', () => {
    expect(
      findings(offline({ owner: 'other', server: { state: 'alive', pid: 8, port: 8899, self: false } })),
    ).toEqual(['warn engine: serve', 'fail owner_lock: find_owner', 'warn port: find_owner']);
    const killed = { holder: 'x', pid: 8, expires_at: now + 9 };
    expect(findings(offline({ server: { state: 'stale' } }, { lease: killed }))).toEqual([
      'fail engine: serve',
      'warn port: serve',
      'warn lease: nothing',
    ]);
  });

  it('takes overdue and unchecked rows as a consequence', () => {
    const left = {
      overdue: { count: 1, names: ['a'] },
      unchecked: 1,
      stuck_runs: { count: 1, names: ['a'] },
    };
    expect(findings(offline({}, left))).toEqual([
      'fail engine: serve',
      'warn overdue: serve',
      'fail stuck_runs: serve',
      'warn unchecked: serve',
    ]);
  });
});

it('writes sizes for people', () => {
  expect([0, 1023, 1536, 150 * 1024, 1.5 * gibibyte].map(sizeText)).toEqual([
    '0 B',
    '1023 B',
    '1.5 KiB',
    '150 KiB',
    '1.5 GiB',
  ]);
});
