import { useRef } from 'react';
import type { Automation } from '../../src-shared/model/automation.ts';
import type { Run } from '../../src-shared/model/run.ts';
import { scriptOf } from '../format.ts';
import { useWords } from '../page-context.ts';
import { useAttention, useReview } from '../store/queries.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Reason } from '../ui/reason.tsx';
import { RunRow } from '../ui/run-row.tsx';
import { Section } from '../ui/section.tsx';
import { AttentionLabel } from '../ui/state-label.tsx';
import { Time } from '../ui/time.tsx';
import { RunNowButton } from './task-buttons.tsx';
import { Verdict } from './verdict.tsx';
import { WithWhy } from './why.tsx';

function WhyReview({ run }: { run: Run }) {
  const words = useWords();
  const told = run.reason_code !== null || run.reason_detail !== null;
  const parts = [
    told ? <Reason key="reason" code={run.reason_code} detail={run.reason_detail} /> : words.needs.finished,
    run.change_count > 0 ? words.needs.files(run.change_count) : null,
  ];
  return (
    <p className="row-reason">
      {parts[0]}
      {parts[1] !== null && ` · ${parts[1]}`}
    </p>
  );
}

function ReviewRow({ run, onVerdict }: { run: Run; onVerdict(): void }) {
  return (
    <RunRow
      run={run}
      meta={<Time at={run.finished_at ?? run.created_at} />}
      below={
        <>
          <WhyReview run={run} />
          {run.summary !== null && run.summary !== '' && (
            <p className="row-summary" lang={scriptOf(run.summary)}>
              {run.summary}
            </p>
          )}
          <Verdict run={run} onVerdict={onVerdict} />
        </>
      }
    />
  );
}

function AttentionRow({ automation }: { automation: Automation }) {
  return (
    <li className="row">
      <AttentionLabel />
      <span className="row-name">
        <bdi>{automation.name}</bdi>
      </span>
      <span className="row-meta">
        <Time at={automation.updated_at} />
      </span>
      <div className="row-below">
        <p className="row-reason">
          <Reason code={automation.attention_code} detail={automation.attention_detail} />
        </p>
        <WithWhy automation={automation} className="actions">
          <RunNowButton automation={automation} />
        </WithWhy>
      </div>
    </li>
  );
}

/** What only a person can settle: runs that wait for a verdict, tasks with a problem. */
export function NeedsYou() {
  const words = useWords();
  const review = useReview();
  const attention = useAttention();
  const heading = useRef<HTMLHeadingElement>(null);
  const count = (review.data?.items.length ?? 0) + (attention.data?.items.length ?? 0);
  const known = review.data !== undefined && attention.data !== undefined;
  const more = review.data?.next_cursor != null || attention.data?.next_cursor != null;
  // The row that had the focus is gone: the heading tells how many are left.
  const onVerdict = () => heading.current?.focus();
  return (
    <Section
      title={words.needs.title}
      headingRef={heading}
      aside={count > 0 && <span className="badge numbers">{`${count}${more ? '+' : ''}`}</span>}
    >
      <Loaded of={review} what={words.states.PENDING_REVIEW}>
        {({ items }) =>
          items.length > 0 && (
            <ul className="rows rows-tall">
              {items.map((run) => (
                <ReviewRow key={run.id} run={run} onVerdict={onVerdict} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <Loaded of={attention} what={words.tasks.title}>
        {({ items }) =>
          items.length > 0 && (
            <ul className="rows rows-tall">
              {items.map((automation) => (
                <AttentionRow key={automation.id} automation={automation} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {known && count === 0 && <p className="quiet">{words.needs.empty}</p>}
      {more && <p className="quiet">{words.needs.more}</p>}
    </Section>
  );
}
