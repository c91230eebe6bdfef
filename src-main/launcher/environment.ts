import { posix, win32 } from 'node:path';

/** What a child may inherit from the host. Everything else, API keys above all, stays with the host. */
const inherited = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TMPDIR',
  'TMP',
  'TEMP',
  'TZ',
  'SystemRoot',
  'SYSTEMROOT',
  'ComSpec',
  'COMSPEC',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
  'PATHEXT',
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'DISPLAY',
  'SSH_AUTH_SOCK',
]);

/** What a child is told about the run it belongs to. `scheduled_for` in ms since 1970, null for a manual run. */
export interface RunIdentity {
  run_id: string;
  automation_id: string;
  scheduled_for: number | null;
  run_key: string;
  attempt: number;
}

function mayInherit(name: string, platform: NodeJS.Platform): boolean {
  // Windows has names in any case (Path, SystemRoot); elsewhere the case is part of the name.
  const canonical = platform === 'win32' ? name.toUpperCase() : name;
  if (canonical.startsWith('LC_')) return true;
  return inherited.has(canonical);
}

/** Only absolute folders: an empty entry, `.` or `bin` would run a program out of a hostile working folder. */
function safePath(path: string, platform: NodeJS.Platform): string {
  const { delimiter, isAbsolute } = platform === 'win32' ? win32 : posix;
  return path
    .split(delimiter)
    .filter((entry) => isAbsolute(entry))
    .join(delimiter);
}

/**
 * The whole environment of a child: the allow-list of the host's, then the automation's own, then the run's
 * identity. Later ones win, so an automation cannot pose as another run. `NEXTRUN_SCHEDULED_FOR` is ISO 8601 in
 * UTC, and empty for a run without a slot.
 */
export function childEnvironment(
  hostEnvironment: Record<string, string | undefined>,
  own: Record<string, string>,
  run: RunIdentity,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(hostEnvironment)) {
    if (value !== undefined && mayInherit(name, platform)) environment[name] = value;
  }
  environment['PYTHONIOENCODING'] = 'utf-8';
  Object.assign(environment, own);
  for (const name of Object.keys(environment)) {
    const isPath = name === 'PATH' || (platform === 'win32' && name.toUpperCase() === 'PATH');
    if (isPath) environment[name] = safePath(environment[name] ?? '', platform);
  }
  return {
    ...environment,
    NEXTRUN_RUN_ID: run.run_id,
    NEXTRUN_AUTOMATION_ID: run.automation_id,
    NEXTRUN_SCHEDULED_FOR: run.scheduled_for === null ? '' : new Date(run.scheduled_for).toISOString(),
    NEXTRUN_RUN_KEY: run.run_key,
    NEXTRUN_ATTEMPT: String(run.attempt),
  };
}
