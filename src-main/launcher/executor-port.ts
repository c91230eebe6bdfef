import type { AgentReader, AgentReport } from '../../src-shared/executors/agent-stream.ts';
import type { FailureReason, OpenReason } from '../../src-shared/model/outcome.ts';
import type { StartRequest } from './protocol.ts';

/** What the launcher asks of an executor. src-main/executors implements it; hosts/launcher brings them together. */
export interface ExecutorPort {
  /** The program for one working folder, or in words why there can be none. */
  program(
    work: Pick<StartRequest, 'argv' | 'shell'>,
    platform: NodeJS.Platform,
  ): StartableProgram | { refused: string };
  /** Reads the stdout of one child when it is a stream of events; without it stdout is text. */
  reader?(work: Pick<StartRequest, 'profile'>): AgentReader | null;
  /** What it means that a child ended by itself in this way. */
  judge(end: {
    exit_code: number | null;
    signal: string | null;
    has_text: boolean;
    last_error: string | null;
    /** What its reader was told, null without one. */
    report: AgentReport | null;
  }): {
    result: 'success' | 'failure' | 'open';
    reason: FailureReason | OpenReason | null;
    detail: string | null;
  };
}

export interface StartableProgram {
  file: string;
  args: string[];
  /** Windows: pass the arguments as they are. */
  verbatim: boolean;
}

/** Executors by `kind` of a request. */
export type Executors = Record<StartRequest['kind'], ExecutorPort>;
