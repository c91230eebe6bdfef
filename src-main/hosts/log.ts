import { type Logger, pino } from 'pino';

/** JSON lines on stderr or into a file; what could be a secret is not printed. Level by NEXTRUN_LOG. */
export function createLog(destination: string | number, level: string | undefined): Logger {
  return pino(
    { level: level ?? 'info', base: null, redact: ['token', 'authorization', 'env', '*.token', '*.env'] },
    pino.destination({ dest: destination, sync: true, mkdir: true }),
  );
}
