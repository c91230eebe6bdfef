import { describe, expect, it } from 'vitest';
import { createPageStore } from './store.ts';

const chunk = (seq: number, text = `${seq}\n`) => ({ seq, at: seq, stream: 'stdout', text });
const page = (items: ReturnType<typeof chunk>[], next: number) => ({
  items,
  next,
  ended: false,
  output_dropped_bytes: 0,
});

function opened() {
  const store = createPageStore();
  store.getState().openOutput('r');
  const text = () =>
    store
      .getState()
      .output?.text.segments.map((one) => one.text)
      .join('');
  return { store, text, state: store.getState() };
}

describe('live output', () => {
  it('is read, then goes on with what the stream brings', () => {
    const { state, text } = opened();
    state.readOutput('r', page([chunk(0), chunk(1)], 2));
    state.outputState('r', 'ready');
    state.liveOutput('r', [chunk(1), chunk(2)]);
    expect(text()).toBe('0\n1\n2\n');
  });

  it('asks for what is missing instead of showing a torn text', () => {
    const { store, state, text } = opened();
    state.readOutput('r', page([chunk(0)], 1));
    state.outputState('r', 'ready');
    state.liveOutput('r', [chunk(5)]);
    expect(text()).toBe('0\n');
    expect(store.getState().outputGaps).toBe(1);
  });

  it('while it loads does not ask twice', () => {
    const { store, state } = opened();
    state.liveOutput('r', [chunk(5)]);
    expect(store.getState().outputGaps).toBe(0);
  });

  it('of another run is passed over, and a new selection starts empty', () => {
    const { store, state, text } = opened();
    state.liveOutput('x', [chunk(0)]);
    state.readOutput('x', page([chunk(0)], 1));
    expect(text()).toBe('');
    state.liveOutput('r', [chunk(0)]);
    state.follow(false);
    state.openOutput('r');
    expect(text()).toBe('0\n');
    state.openOutput('other');
    expect(text()).toBe('');
    expect(store.getState().following).toBe(true);
  });
});
