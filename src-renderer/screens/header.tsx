import { Plug, Unplug } from 'lucide-react';
import { useNow } from '../clock.ts';
import { usePageState, useReconnect, useWords } from '../page-context.ts';
import { useQueue, useReview } from '../store/queries.ts';
import { Button } from '../ui/button.tsx';
import { AppearanceControls } from './appearance-controls.tsx';
import { Brand } from './brand.tsx';

function Connection() {
  const words = useWords();
  const link = usePageState((state) => state.link);
  const reconnect = useReconnect();
  const now = useNow();
  if (link.kind !== 'waiting') {
    const live = link.kind === 'live';
    return (
      <span className={`connection ${live ? 'tone-accepted' : 'tone-idle'}`} role="status">
        <Plug aria-hidden="true" />
        <span>{live ? words.connection.live : `${words.connection.connecting}…`}</span>
      </span>
    );
  }
  const seconds = Math.max(0, Math.ceil((link.until - now) / 1000));
  return (
    <span className="connection tone-failed">
      <Unplug aria-hidden="true" />
      <span>{words.connection.waiting(seconds)}</span>
      <Button onClick={reconnect}>{words.connection.retry}</Button>
    </span>
  );
}

function Counts() {
  const words = useWords();
  const queue = useQueue().data;
  const review = useReview().data;
  // What is not known is a dash: a zero would say that there is nothing.
  const count = (items: unknown[] | undefined) => (items === undefined ? '–' : String(items.length));
  const more = review !== undefined && review.next_cursor !== null ? '+' : '';
  const cap = queue === undefined ? '–' : String(queue.cap);
  return (
    <div role="status" aria-label={words.counts.label} className="counts-holder">
      <ul className="counts numbers">
        <li>{words.counts.running(count(queue?.running), cap)}</li>
        <li>{words.counts.queued(count(queue?.waiting))}</li>
        <li className={review !== undefined && review.items.length > 0 ? 'tone-review' : undefined}>
          {words.counts.review(`${count(review?.items)}${more}`)}
        </li>
      </ul>
    </div>
  );
}

/** Name, connection, and what goes on at this moment. */
export function Header() {
  return (
    <header className="header">
      <h1>
        <Brand />
      </h1>
      <Connection />
      <Counts />
      <AppearanceControls />
    </header>
  );
}
