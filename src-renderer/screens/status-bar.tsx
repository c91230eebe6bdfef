import { useNow } from '../clock.ts';
import { useWords } from '../page-context.ts';
import { useHealth, useInfo, useQueue } from '../store/queries.ts';
import { useZone } from '../ui/time.tsx';

function Scheduler() {
  const words = useWords();
  const now = useNow();
  const health = useHealth();
  const info = useInfo().data;
  const queue = useQueue().data;
  const data = health.data;
  if (data === undefined && health.error === null) return null;
  const stopped = data === undefined || data.engine === 'stopped';
  const paused = data?.engine === 'paused' || queue?.paused === true || info?.scheduling_enabled === false;
  const next = data?.next_scan_at ?? null;
  if (stopped) return <span className="tone-failed">{words.scheduler.stopped}</span>;
  if (paused) return <span className="tone-review">{words.scheduler.paused}</span>;
  const seconds = next === null ? null : Math.max(0, Math.ceil((next - now) / 1000));
  return (
    <span className="scheduler tone-accepted numbers">
      {words.scheduler.on}
      {seconds !== null && ` · ${words.scheduler.nextScan(seconds)}`}
    </span>
  );
}

/** The foot of the page: scheduler, address, time zone, version. */
export function StatusBar() {
  const words = useWords();
  const info = useInfo().data;
  const zone = useZone();
  return (
    <footer className="status-bar">
      <Scheduler />
      {info?.port != null && (
        <span>
          {words.scheduler.address} <span className="numbers">127.0.0.1:{info.port}</span>
        </span>
      )}
      <span className="status-end">
        <span className="hidden">{words.scheduler.zone} </span>
        {zone}
        {info !== undefined && ` · ${info.version}`}
      </span>
    </footer>
  );
}
