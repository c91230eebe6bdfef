import { type Logger, pino } from 'pino';

/** JSON lines on stderr or into a file; what could be a secret is not printed. Level by NEXTRUN_LOG. */
export function createLog(destination: string | number, level: string | undefined): Logger {
  const lines = pino.destination({ dest: destination, sync: true, mkdir: true });
  // A full disk must not end the engine for the sake of a log line; the lines come back when there is room.
  lines.on('error', () => undefined);
  return pino(
    { level: level ?? 'info', base: null, redact: ['token', 'authorization', 'env', '*.token', '*.env'] },
    lines,
  );
}
