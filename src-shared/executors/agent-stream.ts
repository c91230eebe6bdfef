import type { FailureReason, Usage } from '../model/outcome.ts';

/** Text out of an agent's stream: `answer` is what it says to the person, `note` what it did meanwhile. */
export interface AgentText {
  kind: 'answer' | 'note';
  text: string;
}

/** What an agent's stream has told so far besides its text. */
export interface AgentReport {
  /** It has said something to the person. */
  said: boolean;
  usage: Usage | null;
  /** The agent's own id of its session, to go on with it. */
  session_id: string | null;
  /** What it asks of the person; it cannot go on without an answer. */
  question: string | null;
  /** An error in the stream that nothing after it took back. */
  failure: { reason: FailureReason; detail: string } | null;
  /** The stream broke off before the event that ends it, where there is one. */
  unfinished: boolean;
}

/** Reads the output of one child. Takes pieces of any length and never throws. */
export interface AgentReader {
  /** Decoded stdout. */
  read(text: string): AgentText[];
  /** Decoded stderr, which is shown as it is. */
  readErrors(text: string): void;
  /** What is still held back when the child has ended. */
  end(): AgentText[];
  report(): AgentReport;
}
