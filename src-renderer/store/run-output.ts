import { useEffect, useRef } from 'react';
import type { ApiClient } from '../../src-shared/contract/client.ts';
import { useBackend, usePageStore } from '../page-context.ts';
import type { PageStore } from './store.ts';

const pageSize = 1000;

/** Reads the output of one run from where the page stands to its end, as often as there is a reason to. */
interface OutputReader {
  /** Reads on when the status differs from the one before: the last words of a run come with its end. */
  status(status: string): void;
  stop(): void;
}

function startReader(call: ApiClient['call'], store: PageStore, runId: string): OutputReader {
  let stopped = false;
  let reading = false;
  let again = false;
  let known: string | undefined;
  const readToEnd = async () => {
    for (let from = -1; !stopped; ) {
      const { output, readOutput } = store.getState();
      const next = output?.runId === runId ? output.text.next : 0;
      if (next <= from) return;
      from = next;
      const query = { from, limit: pageSize };
      const page = await call('getRunOutput', { params: { id: runId }, query });
      if (!stopped) readOutput(runId, page);
      if (page.items.length === 0) return;
    }
  };
  const read = async () => {
    again = true;
    if (reading) return;
    reading = true;
    try {
      while (again && !stopped) {
        again = false;
        await readToEnd();
      }
      if (!stopped) store.getState().outputState(runId, 'ready');
    } catch {
      // What went wrong is told by the page; the next reason to read tries again.
      if (!stopped) store.getState().outputState(runId, 'failed');
    }
    reading = false;
  };
  store.getState().openOutput(runId);
  const unsubscribe = store.subscribe((state, before) => {
    // After each reconnection (output is not replayed) and at each gap.
    if (state.linkEpoch !== before.linkEpoch || state.outputGaps !== before.outputGaps) void read();
  });
  void read();
  return {
    status(status) {
      if (known !== undefined && known !== status) void read();
      known = status;
    },
    stop() {
      stopped = true;
      unsubscribe();
    },
  };
}

/** Keeps the output of the selected run true: read at once and at each reason; the event stream adds to it. */
export function useRunOutput(runId: string, status: string): void {
  const { call } = useBackend();
  const store = usePageStore();
  const reader = useRef<OutputReader>(undefined);
  useEffect(() => {
    const started = startReader(call, store, runId);
    reader.current = started;
    return () => started.stop();
  }, [call, store, runId]);
  useEffect(() => reader.current?.status(status), [status]);
}
