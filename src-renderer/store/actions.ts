import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { CallInput, CallOutput } from '../../src-shared/contract/client.ts';
import { ApiError } from '../../src-shared/contract/errors.ts';
import type { Automation } from '../../src-shared/model/automation.ts';
import type { Run } from '../../src-shared/model/run.ts';
import type { PageWords } from '../../src-shared/words/page-en.ts';
import { UnreachableError } from '../backend.ts';
import { useBackend, usePageState, useWords } from '../page-context.ts';
import { applyToCache } from './live.ts';

export interface Trouble {
  text: string;
  hint?: string;
}

/** What went wrong, in words, and what to do about it. */
export function troubleOf(error: unknown, words: PageWords): Trouble {
  if (error instanceof UnreachableError) return { text: words.errors.unreachable };
  if (!(error instanceof ApiError)) return { text: words.errors.internal };
  const known: Readonly<Record<string, string>> = words.errors;
  const own = known[error.code];
  if (own === undefined)
    return { text: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  return { text: own, hint: error.hint ?? error.message };
}

/** Tells about a failed action in the notice at the foot of the page. */
export function useTellTrouble(): (error: unknown) => void {
  const words = useWords();
  const notify = usePageState((state) => state.notify);
  return (error) => notify({ tone: 'error', ...troubleOf(error, words) });
}

type RunAction = 'cancelRun' | 'acceptRun' | 'rejectRun';
type AutomationAction = 'pauseAutomation' | 'resumeAutomation' | 'deleteAutomation';

/**
 * An action on a run. Its answer is the new row, which is shown before the event comes. `onDone` is called also
 * when the row that asked has left the page by then, as it does after a verdict.
 */
export function useRunAction<N extends RunAction>(name: N, onDone?: (row: Run) => void) {
  const { call } = useBackend();
  const client = useQueryClient();
  const tell = useTellTrouble();
  return useMutation<Run, Error, CallInput<N>>({
    mutationFn: (input) => call(name, input) as Promise<Run>,
    onSuccess: (row) => {
      applyToCache(client, { type: 'run', id: row.id, row });
      onDone?.(row);
    },
    onError: tell,
  });
}

/** An action on an automation; as `useRunAction`. */
export function useAutomationAction<N extends AutomationAction>(name: N, onDone?: (row: Automation) => void) {
  const { call } = useBackend();
  const client = useQueryClient();
  const tell = useTellTrouble();
  return useMutation<Automation, Error, CallInput<N>>({
    mutationFn: (input) => call(name, input) as Promise<Automation>,
    onSuccess: (row) => {
      applyToCache(client, { type: 'automation', id: row.id, row });
      onDone?.(row);
    },
    onError: tell,
  });
}

/** Runs a task now. */
export function useRunNow() {
  const { call } = useBackend();
  const client = useQueryClient();
  const tell = useTellTrouble();
  const words = useWords();
  const notify = usePageState((state) => state.notify);
  return useMutation<CallOutput<'runAutomation'>, Error, { id: string; name: string }>({
    mutationFn: ({ id }) => call('runAutomation', { params: { id }, body: {} }),
    onSuccess: ({ run, existing }, { name }) => {
      applyToCache(client, { type: 'run', id: run.id, row: run });
      notify({ tone: 'done', text: existing ? words.tasks.existing(name) : words.tasks.started(name) });
    },
    onError: tell,
  });
}
