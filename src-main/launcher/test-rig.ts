import { fileURLToPath } from 'node:url';
import type { Clock } from '../../src-shared/clock.ts';
import type { Outcome } from '../../src-shared/model/outcome.ts';
import type { FromLauncher, StartRequest } from './protocol.ts';

/** For the tests of this folder only. */

type Message = FromLauncher | { type: 'lost'; run_ids: string[] };

/** Path of one of the small real programs. */
export const program = (name: string) =>
  fileURLToPath(new URL(`../../e2e/programs/${name}.mjs`, import.meta.url));

/** Keeps all messages and lets a test wait for one. */
export function mailbox() {
  const messages: Message[] = [];
  let waiting: (() => boolean)[] = [];
  const of = (runId: string) => (message: Message) => 'run_id' in message && message.run_id === runId;

  function wait<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found !== undefined) resolve(found);
        return found === undefined;
      };
      if (look()) waiting.push(look);
    });
  }

  return {
    messages,
    hear(message: Message): void {
      messages.push(message);
      waiting = waiting.filter((look) => look());
    },
    wait,
    outcome: (runId: string): Promise<Outcome> =>
      wait(() => messages.filter(of(runId)).find((message) => message.type === 'outcome')?.outcome),
    started: (runId: string) =>
      wait(() => messages.filter(of(runId)).find((message) => message.type === 'started')),
    lost: () => wait(() => messages.find((message) => message.type === 'lost')?.run_ids),
    text(runId: string, stream?: string): string {
      const outputs = messages.filter(of(runId)).filter((message) => message.type === 'output');
      const chunks = outputs.flatMap((message) => message.chunks);
      return chunks
        .filter((chunk) => stream === undefined || chunk.stream === stream)
        .map((chunk) => chunk.text)
        .join('');
    },
    /** Resolves when the run has written `text`. */
    wrote(runId: string, text: string): Promise<true> {
      return wait(() => (this.text(runId).includes(text) ? true : undefined));
    },
  };
}

/** A request with harmless defaults. */
export function request(
  given: Partial<StartRequest> & Pick<StartRequest, 'run_id' | 'argv' | 'run_folder'>,
  path: string,
): StartRequest {
  return {
    kind: 'command',
    shell: false,
    stdin: '',
    cwds: ['/tmp'],
    timeout_ms: 600_000,
    idle_timeout_ms: 0,
    output_cap_bytes: 8_388_608,
    ...given,
    env: { PATH: path, NEXTRUN_RUN_ID: given.run_id, ...given.env },
  };
}

/** Resolves as soon as `condition` holds; for ends that nothing announces, like that of another's child. */
export function until(
  clock: Clock,
  what: string,
  condition: () => boolean,
  withinMs = 10_000,
): Promise<void> {
  const last = clock.monotonic() + withinMs;
  return new Promise((resolve, reject) => {
    const look = () => {
      if (condition()) resolve();
      else if (clock.monotonic() > last) reject(new Error(`not within ${withinMs} ms: ${what}`));
      else clock.timer(2, look);
    };
    look();
  });
}
