// fork-sleeper.mjs <exit code | stay> [setsid]: leaves a sleeper that keeps stdout open, in this group or in a
// session of its own, writes its pid, then exits with the code or stays.
import { spawn } from 'node:child_process';

const [end = '0', where = 'group'] = process.argv.slice(2);
const sleeper = spawn('sleep', ['3600'], {
  stdio: ['ignore', 'inherit', 'inherit'],
  detached: where === 'setsid',
});
process.stdout.write(`${sleeper.pid}\n`, () => {
  if (end === 'stay') setInterval(() => {}, 3_600_000);
  else process.exit(Number(end));
});
