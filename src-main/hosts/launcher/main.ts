/**
 * Entry of the launcher process, forked by a host over an IPC channel, and with `--watchdog` of its watchdog.
 * Both ignore the signals of a terminal: the host decides when they end, and its death ends them too.
 */
import { systemClock } from '../../engine/clock.ts';
import { executors } from '../../executors/index.ts';
import { createLauncher } from '../../launcher/launcher.ts';
import type { FromLauncher, ToLauncher } from '../../launcher/protocol.ts';
import { runWatchdog, startWatchdog } from '../../launcher/watchdog.ts';

/** After the death of the host all trees are to be gone within 2 s; the watchdog ends what still is not. */
const hostGoneMs = 1900;

function ignoreTerminalSignals(): void {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => {});
}

/** Hands a message to the host. A closed channel is no error here: `disconnect` deals with it. */
function send(message: FromLauncher, sent: () => void): void {
  if (process.send === undefined || !process.connected) sent();
  else process.send(message, undefined, undefined, sent);
}

function serve(entry: string): void {
  // The host died while this process was starting: `disconnect` has been and will not come again.
  if (!process.connected) process.exit(0);
  const watchdog = startWatchdog({
    clock: systemClock,
    command: { file: process.execPath, args: [entry, '--watchdog'], env: process.env },
  });
  const launcher = createLauncher({ clock: systemClock, send, watchdog, executors });
  const exit = () => process.exit(0);

  process.on('message', (message: ToLauncher) => {
    launcher.receive(message);
    // Messages leave in order: when the last has left, all have.
    if (message.type === 'shutdown') {
      void launcher.shutdown().then(() => send({ type: 'ready', pid: process.pid }, exit));
    }
  });
  process.on('disconnect', () => {
    systemClock.timer(hostGoneMs, exit);
    void launcher.hostGone().then(exit);
  });
  send({ type: 'ready', pid: process.pid }, () => {});
}

ignoreTerminalSignals();
if (process.argv.includes('--watchdog')) {
  await runWatchdog({ input: process.stdin, clock: systemClock });
  process.exit(0);
} else if (process.send === undefined || process.argv[1] === undefined) {
  process.stderr.write('This is a part of NextRun that is started by it; start nextrun instead.\n');
  process.exit(2);
} else {
  serve(process.argv[1]);
}
