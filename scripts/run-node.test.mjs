import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

const module = new URL('run-node.mjs', import.meta.url).href;

/** Starts a Node that runs `child` (source of a program) through runInherited and ends like it. */
function start(child) {
  const script = `import { endLike, runInherited } from ${JSON.stringify(module)};
endLike(await runInherited(process.execPath, ['-e', ${JSON.stringify(child)}]));`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('the exit code is handed on', async () => {
  expect(await once(start('process.exit(7)'), 'exit')).toEqual([7, null]);
});

test('a child that a signal ended ends its parent the same way', async () => {
  expect(await once(start("process.kill(process.pid, 'SIGKILL')"), 'exit')).toEqual([null, 'SIGKILL']);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s reaches the child, which decides', async (signal) => {
  const parent =
    start(`process.on('${signal}', () => process.exit(3)); console.log('ready'); process.stdin.resume();
    setInterval(() => {}, 1000);`);
  await once(parent.stdout, 'data');
  parent.kill(signal);
  expect(await once(parent, 'exit')).toEqual([3, null]);
});
