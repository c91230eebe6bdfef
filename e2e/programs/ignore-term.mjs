// ignore-term.mjs [depth]: ignores TERM, INT and HUP, as do its descendants (one in the other); writes `ready`
// when the last of them is there, and stays for ever.
import { spawn } from 'node:child_process';

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
const depth = Number(process.argv[2] ?? '0');
if (depth > 0) {
  spawn(process.execPath, [process.argv[1], String(depth - 1)], { stdio: ['ignore', 'inherit', 'inherit'] });
} else {
  process.stdout.write('ready\n');
}
setInterval(() => {}, 3_600_000);
