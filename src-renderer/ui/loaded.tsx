import type { ReactNode } from 'react';
import { useWords } from '../page-context.ts';
import { troubleOf } from '../store/actions.ts';
import { Button } from './button.tsx';

interface Reading<T> {
  data: T | undefined;
  error: unknown;
  isFetching: boolean;
  refetch(): unknown;
}

interface LoadedProps<T> {
  of: Reading<T>;
  /** Name of what is read, for the words of a failure. */
  what: string;
  children(data: T): ReactNode;
}

/** Shows what was read; while it loads or when that failed it says so, and never looks empty instead. */
export function Loaded<T>({ of, what, children }: LoadedProps<T>) {
  const words = useWords();
  const trouble = of.error === null ? undefined : troubleOf(of.error, words);
  return (
    <>
      {trouble !== undefined && (
        <div className="banner" role="alert">
          <p>
            <span>{of.data === undefined ? words.load.failed(what) : words.load.stale(what)}</span>
            <span>{trouble.text}</span>
          </p>
          <Button disabled={of.isFetching} onClick={() => void of.refetch()}>
            {words.verbs.retry}
          </Button>
        </div>
      )}
      {of.data !== undefined && children(of.data)}
      {of.data === undefined && trouble === undefined && (
        <p className="quiet" role="status">
          {words.load.loading}…
        </p>
      )}
    </>
  );
}
