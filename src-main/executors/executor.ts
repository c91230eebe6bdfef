import type { AgentProfileName } from '../../src-shared/executors/agent-profiles.ts';
import type { AgentReader, AgentReport } from '../../src-shared/executors/agent-stream.ts';
import type { FailureReason, OpenReason } from '../../src-shared/model/outcome.ts';

/** What an executor needs to know of a run to say which program carries it out. */
export interface Work {
  argv: string[];
  /** `command` only: the one element of argv is a script for the system's shell. */
  shell: boolean;
}

/** A program to start without a shell of ours in between. */
export interface Program {
  file: string;
  args: string[];
  /** Windows: the arguments are passed as they are, since cmd.exe quotes by rules of its own. */
  verbatim: boolean;
}

/** Why a request can never be carried out, in words. */
export interface Refusal {
  refused: string;
}

/** How a child ended by itself (not by a stop of ours). */
export interface ChildEnd {
  exit_code: number | null;
  signal: string | null;
  /** stdout had more than white space. */
  has_text: boolean;
  /** Last line of stderr, null when there is none. */
  last_error: string | null;
  /** What the stream of a known agent told; null for any other program. */
  report: AgentReport | null;
}

/** What that end means. */
export interface Verdict {
  result: 'success' | 'failure' | 'open';
  reason: FailureReason | OpenReason | null;
  /** One sentence for a person; null when there is nothing to add to the reason. */
  detail: string | null;
}

/** One way to carry out a run. Executors know nothing of runs, processes or storage: they decide, others do. */
export interface Executor {
  /** The program for one working folder; the prompt goes to its stdin, never into its arguments. */
  program(work: Work, platform: NodeJS.Platform): Program | Refusal;
  /** Reads the stdout of one child when it is a stream of events; without it stdout is text. */
  reader?(work: { profile?: AgentProfileName | null | undefined }): AgentReader | null;
  judge(end: ChildEnd): Verdict;
}

/** The verdict all executors share: killed from outside, exit code, success. */
export function judgeExit({ exit_code, signal, last_error }: ChildEnd): Verdict {
  if (signal !== null) {
    return { result: 'failure', reason: 'signal', detail: `the program was ended by ${signal} from outside` };
  }
  if (exit_code !== 0) return { result: 'failure', reason: 'exit_code', detail: last_error };
  return { result: 'success', reason: null, detail: null };
}

/** An argv as a program, checked for what no system can start. */
export function argvProgram(argv: string[]): Program | Refusal {
  const [file, ...args] = argv;
  if (file === undefined || file === '') return { refused: 'the command is empty' };
  if (argv.some((argument) => argument.includes('\0'))) {
    return { refused: 'the command contains a NUL character, which no program can be given' };
  }
  return { file, args, verbatim: false };
}
