import {
  AlarmClockOff,
  Ban,
  CalendarClock,
  CircleCheck,
  CirclePause,
  Flag,
  Hourglass,
  LoaderCircle,
  OctagonX,
  SkipForward,
  TriangleAlert,
  Undo2,
} from 'lucide-react';
import type { ComponentType } from 'react';
import type { PageWords } from '../../src-shared/words/page-en.ts';
import { useWords } from '../page-context.ts';

type StateWord = keyof PageWords['states'];
type Tone = 'queued' | 'running' | 'review' | 'accepted' | 'rejected' | 'failed' | 'idle';

/** A dashed circle with an exclamation mark, in the manner of lucide, which has none. */
function NeedsReview() {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      aria-hidden="true"
    >
      <circle cx="12" cy="12" r="10" strokeDasharray="3.6 4.25" />
      <path d="M12 7.5v5" />
      <path d="M12 16.5h.01" />
    </svg>
  );
}

const looks: Record<StateWord, { icon: ComponentType; tone: Tone }> = {
  QUEUED: { icon: Hourglass, tone: 'queued' },
  IN_PROGRESS: { icon: LoaderCircle, tone: 'running' },
  PENDING_REVIEW: { icon: NeedsReview, tone: 'review' },
  ACCEPTED: { icon: CircleCheck, tone: 'accepted' },
  REJECTED: { icon: Undo2, tone: 'rejected' },
  FAILED: { icon: OctagonX, tone: 'failed' },
  CANCELLED: { icon: Ban, tone: 'idle' },
  SKIPPED: { icon: SkipForward, tone: 'idle' },
  MISSED: { icon: AlarmClockOff, tone: 'idle' },
  PAUSED: { icon: CirclePause, tone: 'idle' },
  DONE: { icon: Flag, tone: 'idle' },
  ACTIVE: { icon: CalendarClock, tone: 'idle' },
  EXPIRED: { icon: Flag, tone: 'idle' },
};

function isState(text: string): text is StateWord {
  return Object.hasOwn(looks, text);
}

interface StateLabelProps {
  /** A state of a run or an automation; another program may have written any word. */
  state: string;
  position?: number | null;
  chip?: boolean;
}

/** Icon and word of a state, always together; the colour comes third. */
export function StateLabel({ state, position = null, chip = false }: StateLabelProps) {
  const words = useWords();
  if (!isState(state)) return <span className="state tone-idle">{state}</span>;
  const { icon: Icon, tone } = looks[state];
  const word = state === 'QUEUED' && position !== null ? words.queuedAt(position) : words.states[state];
  return (
    <span className={`state tone-${tone}${chip ? ' state-chip' : ''}`} data-state={state}>
      <Icon />
      <span>{word}</span>
    </span>
  );
}

/** The mark of a task that has a problem. */
export function AttentionLabel() {
  const words = useWords();
  return (
    <span className="state tone-failed">
      <TriangleAlert />
      <span>{words.needs.attention}</span>
    </span>
  );
}
