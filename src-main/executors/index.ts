import { agentExecutor } from './agent.ts';
import { commandExecutor } from './command.ts';
import type { Executor } from './executor.ts';

/** All executors by kind of run. A new kind is a file here and a line in this table. */
export const executors: Record<'command' | 'agent', Executor> = {
  command: commandExecutor,
  agent: agentExecutor,
};
