import { describe, expect, it } from 'vitest';
import type { AppEvent } from '../src-shared/contract/events.ts';
import { backOff, followEvents, readEvent, type StreamState } from './event-stream.ts';

const stream = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } });

async function follow(answers: (Response | Error)[]) {
  const ending = new AbortController();
  const asked: (string | undefined)[] = [];
  const states: StreamState[] = [];
  const events: AppEvent[] = [];
  await followEvents({
    signal: ending.signal,
    open: async (lastId) => {
      asked.push(lastId);
      const answer = answers.shift();
      if (answer === undefined) ending.abort();
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('over');
      return answer;
    },
    onState: (state) => states.push(state),
    onEvent: (event) => events.push(event),
    pause: async () => {},
  });
  return { asked, states, events };
}

describe('the event stream', () => {
  it('goes on after the last change it has seen', async () => {
    const { asked, states, events } = await follow([
      stream('id: 7\ndata: {"type":"queue"}\n\ndata: {"type":"output","run_id":"r","chunks":[]}\n\n'),
      stream(': hello\n\n'),
    ]);
    expect(asked).toEqual([undefined, '7', '7']);
    expect(events.map((event) => event.type)).toEqual(['queue', 'output']);
    expect(states.filter((state) => state.kind === 'live')).toEqual([
      { kind: 'live', resumed: false },
      { kind: 'live', resumed: true },
    ]);
  });

  it('waits longer after each failure, and starts afresh once something came', async () => {
    const down = () => new Error('down');
    const { states } = await follow([down(), down(), stream(': x\n\n'), down()]);
    const pauses = states.flatMap((state) => (state.kind === 'waiting' ? [state.ms] : []));
    expect(pauses).toEqual([500, 1000, 500, 1000]);
  });

  it('ends when the token is refused', async () => {
    const { asked, states } = await follow([new Response('', { status: 401 })]);
    expect(asked).toHaveLength(1);
    expect(states.at(-1)).toEqual({ kind: 'refused' });
  });

  it('passes over what it does not know', () => {
    expect(readEvent('{"type":"future"}')).toBeUndefined();
    expect(readEvent('not json')).toBeUndefined();
    expect(readEvent('null')).toBeUndefined();
    expect(readEvent('{"type":"reset"}')).toEqual({ type: 'reset' });
  });

  it('never waits longer than half a minute', () => {
    expect(backOff(0)).toBe(500);
    expect(backOff(50)).toBe(30_000);
  });
});
