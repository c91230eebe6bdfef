import { argvProgram, type Executor, judgeExit } from './executor.ts';

/**
 * Any program that takes the prompt on stdin and writes text. An agent that says nothing has not done what it was
 * asked, whatever its exit code (ruling 8).
 */
export const agentExecutor: Executor = {
  program({ argv, shell }) {
    if (shell) return { refused: 'an agent is an argv, it is not started through a shell' };
    return argvProgram(argv);
  },
  judge(end) {
    const verdict = judgeExit(end);
    if (verdict.result === 'failure' || end.has_text) return verdict;
    return { result: 'failure', reason: 'no_output', detail: 'the agent ended without writing any text' };
  },
};
