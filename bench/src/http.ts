import { Agent, request } from 'node:http';
import { type Bench, interleaved, withFolder } from './measure.ts';
import { type SpawnedServer, startFloor, startHost } from './spawned-host.ts';

/** Sends one job over the agent's connection; resolves to the status. */
export function post(server: SpawnedServer, agent: Agent, body: object): Promise<number> {
  const text = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const headers = { ...server.headers, 'Content-Length': Buffer.byteLength(text) };
    const sent = request(`${server.url}/api/run`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

async function perSecond(server: SpawnedServer, agent: Agent, count: number): Promise<number> {
  const from = performance.now();
  for (let index = 0; index < count; index += 1) {
    const body = { name: `n${index}`, command: ['/bin/true'], delay_seconds: 3600 };
    const status = await post(server, agent, body);
    if (status !== 202) throw new Error(`answered ${status}`);
  }
  return (count / (performance.now() - from)) * 1000;
}

/** Figure 4: accepted tasks per second over one connection, every one synced before the answer. */
export async function accepted(bench: Bench): Promise<void> {
  await withFolder(async (folder) => {
    const [host, floor] = [await startHost(folder), await startFloor(folder)];
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const otherAgent = new Agent({ keepAlive: true, maxSockets: 1 });
    await perSecond(host, agent, 50);
    await perSecond(floor, otherAgent, 50);
    const found = await interleaved(5, {
      ours: () => perSecond(host, agent, 200),
      floor: () => perSecond(floor, otherAgent, 200),
    });
    agent.destroy();
    otherAgent.destroy();
    await Promise.all([host.stop(), floor.stop()]);
    bench.say({
      figure: 4,
      what: 'POST /api/run accepted, one connection',
      ours: found.ours,
      unit: '1/s',
      against: 'node:http + insert',
      reference: found.floor,
      goal: { least: 0.6 },
    });
  });
}
