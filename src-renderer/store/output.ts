import type { StateCreator } from 'zustand/vanilla';
import { addOutput, type Chunk, noOutput, type OutputText } from '../output-text.ts';

export interface RunOutput {
  runId: string;
  text: OutputText;
  state: 'loading' | 'ready' | 'failed';
  ended: boolean;
  droppedBytes: number;
}

export interface OutputSlice {
  /** Live output of the selected run only; that of the others is read when they are selected. */
  output: RunOutput | undefined;
  /** Raised when a chunk is missing in between, so that the reader reads on from the gap. */
  outputGaps: number;
  following: boolean;
  openOutput(runId: string): void;
  readOutput(
    runId: string,
    page: { items: readonly Chunk[]; next: number; ended: boolean; output_dropped_bytes: number },
  ): void;
  outputState(runId: string, state: RunOutput['state']): void;
  liveOutput(runId: string, chunks: readonly Chunk[]): void;
  /** Reads on where the page stands, after a failure. */
  readAgain(): void;
  follow(following: boolean): void;
}

export const outputSlice: StateCreator<OutputSlice> = (set) => ({
  output: undefined,
  outputGaps: 0,
  following: true,
  openOutput: (runId) =>
    set(({ output }) =>
      output?.runId === runId
        ? {}
        : {
            output: { runId, text: noOutput, state: 'loading', ended: false, droppedBytes: 0 },
            following: true,
          },
    ),
  readOutput: (runId, page) =>
    set(({ output }) => {
      if (output?.runId !== runId) return {};
      const text = addOutput(output.text, page.items);
      return {
        output: {
          ...output,
          text: { ...text, next: Math.max(text.next, page.next) },
          ended: page.ended,
          droppedBytes: page.output_dropped_bytes,
        },
      };
    }),
  outputState: (runId, state) =>
    set(({ output }) => (output?.runId === runId ? { output: { ...output, state } } : {})),
  liveOutput: (runId, chunks) =>
    set(({ output, outputGaps }) => {
      if (output?.runId !== runId) return {};
      const fresh = chunks.filter((chunk) => chunk.seq >= output.text.next);
      const first = fresh[0];
      if (first === undefined) return {};
      // While it loads the reader gets there by itself; afterwards a gap means that something was lost.
      if (first.seq > output.text.next)
        return output.state === 'loading' ? {} : { outputGaps: outputGaps + 1 };
      return { output: { ...output, text: addOutput(output.text, fresh) } };
    }),
  readAgain: () => set(({ outputGaps }) => ({ outputGaps: outputGaps + 1 })),
  follow: (following) => set({ following }),
});
