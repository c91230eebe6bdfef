import { useEffect, useRef } from 'react';
import { usePageState, useWords } from '../page-context.ts';
import { Notices } from '../ui/notices.tsx';
import { Header } from './header.tsx';
import { NeedsYou } from './needs-you.tsx';
import { QueueSection } from './queue-section.tsx';
import { RecentRuns } from './recent-runs.tsx';
import { RunDetail } from './run-detail.tsx';
import { StatusBar } from './status-bar.tsx';
import { SubmitBox } from './submit-box.tsx';
import { Tasks } from './tasks.tsx';

function useEscape(): void {
  const select = usePageState((state) => state.select);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const typing =
        event.target instanceof Element && event.target.closest('input, textarea, select, dialog');
      if (event.key === 'Escape' && !event.isComposing && !typing) select(undefined);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [select]);
}

/** The page: what goes on at the left, the tasks or the chosen run at the right. */
export function Workbench() {
  const words = useWords();
  const selected = usePageState((state) => state.selectedRun);
  const opener = useRef<Element>(null);
  const before = useRef(selected);
  // False while the page itself opens: then nobody has chosen anything and the focus stays where it is.
  const opened = useRef(false);
  useEscape();
  useEffect(() => {
    if (before.current === undefined && selected !== undefined) opener.current = document.activeElement;
    // The focus returns to the row that opened the detail.
    if (before.current !== undefined && selected === undefined && opener.current instanceof HTMLElement) {
      opener.current.focus();
    }
    before.current = selected;
    opened.current = true;
  }, [selected]);
  return (
    <div className="page">
      <a className="skip" href="#main">
        {words.skipToMain}
      </a>
      <Header />
      <main id="main" className="columns" tabIndex={-1} data-detail={selected !== undefined}>
        <div className="column flow">
          <SubmitBox />
          <QueueSection />
          <NeedsYou />
          <RecentRuns />
        </div>
        <div className="column pane">
          {selected === undefined ? <Tasks /> : <RunDetail key={selected} id={selected} opened={opened} />}
        </div>
      </main>
      <StatusBar />
      <Notices />
    </div>
  );
}
