import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { post } from './http.ts';
import { type Bench, quantile, wait, withFolder } from './measure.ts';
import { type SpawnedServer, startFloor, startHost } from './spawned-host.ts';

const readers = 100;
const messages = 100;
const allWithinMs = 10_000;

const insertRow = `
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], timeout=5)
now = int(time.time() * 1000)
db.execute("INSERT INTO automations (id, name, prompt, status, kind, created_at, updated_at, next_run_at) "
           "VALUES (?, ?, '', 'ACTIVE', 'command', ?, ?, ?)", (sys.argv[2], sys.argv[2], now, now, now + 3600000))
db.commit()
print(time.time() * 1000)
`;

/** Opens one event stream and calls `heard` with the name of each task that first appears in it. */
function listen(
  server: SpawnedServer,
  path: string,
  heard: (name: string) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { headers: server.headers, agent: false }, (stream) => {
      const seen = new Set<string>();
      let text = '';
      stream.on('data', (data: Buffer) => {
        text += data.toString();
        const end = text.lastIndexOf('\n\n');
        if (end === -1) return;
        for (const [, name = ''] of text.slice(0, end).matchAll(/"name":"(m[^"]*)"/g)) {
          if (seen.has(name)) continue;
          seen.add(name);
          heard(name);
        }
        text = text.slice(end);
      });
      stream.on('error', () => undefined);
      resolve(stream);
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** Processor time that a process has used, ms. */
function used(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

interface Broadcast {
  p50: number;
  p99: number;
  lost: number;
  cpu: number;
}

/** Sends tasks and measures from the request to the arrival at each of the readers. */
async function broadcast(server: SpawnedServer, path: string): Promise<Broadcast> {
  const sentAt = new Map<string, number>();
  const delays: number[] = [];
  const hear = (name: string) => void delays.push(performance.now() - (sentAt.get(name) ?? Number.NaN));
  const streams = await Promise.all(Array.from({ length: readers }, () => listen(server, path, hear)));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const before = used(server.pid);
  for (let index = 0; index < messages; index += 1) {
    const name = `m${index}`;
    sentAt.set(name, performance.now());
    await post(server, agent, { name, command: ['/bin/true'], delay_seconds: 3600 });
    await wait(20);
  }
  const until = performance.now() + allWithinMs;
  while (delays.length < readers * messages && performance.now() < until) await wait(20);
  const cpu = used(server.pid) - before;
  for (const stream of streams) stream.destroy();
  agent.destroy();
  return {
    p50: quantile(delays, 0.5),
    p99: quantile(delays, 0.99),
    lost: readers * messages - delays.length,
    cpu: (cpu * 1000) / (readers * messages),
  };
}

async function foreignRows(host: SpawnedServer, folder: string): Promise<number[]> {
  const arrived = new Map<string, number>();
  const stream = await listen(host, '/api/events', (name) => arrived.set(name, Date.now()));
  const delays: number[] = [];
  for (let index = 0; index < 20; index += 1) {
    const name = `mforeign${index}`;
    const { stdout } = await promisify(execFile)('python3', [
      '-c',
      insertRow,
      join(folder, 'workbuddy.db'),
      name,
    ]);
    for (let turn = 0; turn < 100 && !arrived.has(name); turn += 1) await wait(20);
    delays.push((arrived.get(name) ?? Number.POSITIVE_INFINITY) - Number(stdout));
  }
  stream.destroy();
  return delays;
}

/** Figure 12: from a commit to the event, for own changes, a foreign row and a hundred readers. */
export async function events(bench: Bench): Promise<void> {
  await withFolder(async (folder) => {
    const [host, floor] = [await startHost(folder), await startFloor(folder)];
    const bare = await broadcast(floor, '/events');
    const ours = await broadcast(host, '/api/events');
    const foreign = await foreignRows(host, folder);
    await Promise.all([host.stop(), floor.stop()]);
    const line = { figure: 12, unit: 'ms', against: 'node:http' };
    const worst = Math.max(...foreign);
    const what = `event to ${readers} readers`;
    const more = { 'ours p50': ours.p50, 'floor p50': bare.p50, lost: ours.lost };
    bench.say({
      ...line,
      what: `${what}, p99`,
      ours: ours.p99,
      reference: bare.p99,
      goal: { most: 1.5 },
      more,
    });
    bench.say({
      ...line,
      what: `${what}, CPU of one message`,
      unit: 'µs',
      ours: ours.cpu,
      reference: bare.cpu,
      goal: { most: 1.5 },
    });
    bench.say({
      ...line,
      what: `${what}, lost`,
      unit: 'events',
      ours: ours.lost,
      reference: bare.lost,
      ratio: ours.lost,
      goal: { most: 0 },
    });
    bench.say({
      ...line,
      what: 'own change → event, p99',
      ours: ours.p99,
      against: '50 ms',
      reference: 50,
      goal: { most: 1 },
    });
    bench.say({
      ...line,
      what: 'foreign row → event, worst',
      ours: worst,
      against: '1.1 s',
      reference: 1100,
      goal: { most: 1 },
      more: { p50: quantile(foreign, 0.5) },
    });
  });
}
