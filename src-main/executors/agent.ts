import { knownFailure } from './agent/failure-kind.ts';
import { agentReaders } from './agent/readers.ts';
import { argvProgram, type ChildEnd, type Executor, judgeExit, type Verdict } from './executor.ts';

/** What an agent that could not even begin says on stderr, not in its stream. */
const saidAtStart: ReadonlySet<string | null> = new Set(['auth', 'credit', 'rate_limit']);

const failure = (reason: Verdict['reason'], detail: string): Verdict => ({
  result: 'failure',
  reason,
  detail,
});

/** How the child of a known agent ended: its stream says more than its exit code, which is often 0. */
function judgeReport(end: ChildEnd): Verdict | null {
  const { report } = end;
  if (report === null) return null;
  if (report.question !== null) {
    return { result: 'open', reason: 'needs_input', detail: 'the agent asks for a permission or an answer' };
  }
  if (report.failure !== null) return failure(report.failure.reason, report.failure.detail);
  const verdict = judgeExit(end);
  if (verdict.reason === 'exit_code' && end.last_error !== null) {
    const kind = knownFailure(end.last_error);
    if (saidAtStart.has(kind)) return failure(kind, end.last_error);
  }
  if (verdict.result === 'failure' || !report.unfinished) return null;
  return failure('crash', 'the output of the agent broke off before its result');
}

/**
 * A program that takes the prompt on stdin: a known agent, whose stream is read, or any other that writes text. An
 * agent that says nothing has not done what it was asked, whatever its exit code (ruling 8).
 */
export const agentExecutor: Executor = {
  program({ argv, shell }) {
    if (shell) return { refused: 'an agent is an argv, it is not started through a shell' };
    return argvProgram(argv);
  },
  reader({ profile }) {
    return profile === undefined || profile === null ? null : agentReaders[profile]();
  },
  judge(end) {
    const told = judgeReport(end);
    if (told !== null) return told;
    const verdict = judgeExit(end);
    if (verdict.result === 'failure' || end.has_text) return verdict;
    return failure('no_output', 'the agent ended without writing any text');
  },
};
