import { argvProgram, type Executor, judgeExit, type Program, type Refusal } from './executor.ts';

/**
 * The script is the person's own text and reaches the shell as one argument; nothing is put into it, so there is
 * nothing to quote and stdin stays free for the prompt (security S31).
 */
function shellProgram(script: string, platform: NodeJS.Platform): Program | Refusal {
  const checked = argvProgram([script]);
  if ('refused' in checked) return checked;
  if (platform === 'win32') {
    return { file: 'cmd.exe', args: ['/d', '/s', '/c', `"${script}"`], verbatim: true };
  }
  return { file: '/bin/sh', args: ['-c', script], verbatim: false };
}

/** An argv started as it is, or one script for the system's shell. */
export const commandExecutor: Executor = {
  program({ argv, shell }, platform) {
    if (!shell) return argvProgram(argv);
    const [script, ...rest] = argv;
    if (script === undefined || rest.length > 0) return { refused: 'a shell command is exactly one script' };
    return shellProgram(script, platform);
  },
  judge: judgeExit,
};
