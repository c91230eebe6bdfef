import { X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { after } from '../clock.ts';
import { usePageState, useWords } from '../page-context.ts';
import { Button } from './button.tsx';

const shown = 8000;

/** What was just done, and what went wrong. Good news leaves after 8 s unless pointer or focus is on it. */
export function Notices() {
  const words = useWords();
  const notice = usePageState((state) => state.notice);
  const dismiss = usePageState((state) => state.dismiss);
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (notice === undefined || notice.tone === 'error' || held) return;
    return after(shown, () => dismiss(notice.id));
  }, [notice, held, dismiss]);
  const body = notice !== undefined && (
    <section
      className={`notice notice-${notice.tone}`}
      aria-label={words.notices}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p>
        {notice.text}
        {notice.hint !== undefined && <span className="trouble-hint">{notice.hint}</span>}
      </p>
      <Button look="quiet" aria-label={words.verbs.close} onClick={() => dismiss(notice.id)}>
        <X aria-hidden="true" />
      </Button>
    </section>
  );
  // Both regions are always there: one that appears with its text is not read out.
  return (
    <div className="notices">
      <div role="status">{notice?.tone === 'done' && body}</div>
      <div role="alert">{notice?.tone === 'error' && body}</div>
    </div>
  );
}
