import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import type { Run } from '../../src-shared/model/run.ts';
import { usePageState } from '../page-context.ts';
import { StateLabel } from './state-label.tsx';

interface RunRowProps {
  run: Run;
  /** At the right of the title: times, trigger. */
  meta?: ReactNode;
  actions?: ReactNode;
  /** Below the title: reason, summary, a form. */
  below?: ReactNode;
}

/** One run in a list: state, title that opens it, what is told about it, and what can be done with it. */
export function RunRow({ run, meta, actions, below }: RunRowProps) {
  const selected = usePageState((state) => state.selectedRun === run.id);
  const select = usePageState((state) => state.select);
  return (
    <li className={clsx('row', selected && 'row-selected')}>
      <StateLabel state={run.status} position={run.queued_position} />
      <button
        type="button"
        className="row-title"
        aria-current={selected ? 'true' : undefined}
        onClick={() => select(run.id)}
      >
        <bdi>{run.title}</bdi>
      </button>
      <span className="row-meta">{meta}</span>
      {actions !== undefined && <span className="row-actions">{actions}</span>}
      {below !== undefined && below !== false && <div className="row-below">{below}</div>}
    </li>
  );
}
