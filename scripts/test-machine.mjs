import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** What the tests use besides node_modules: a browser, and two foreign programs that write into our database. */

const browserNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const browserElsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
];

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function onPath(names, env) {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const suffix = process.platform === 'win32' ? '.exe' : '';
  return folders.flatMap((folder) => names.map((name) => join(folder, name + suffix))).find(isExecutable);
}

/** The Chromium or Chrome of this machine, or null. NEXTRUN_CHROMIUM names another one. */
export function findBrowser(env = process.env) {
  if (env.NEXTRUN_CHROMIUM) return isExecutable(env.NEXTRUN_CHROMIUM) ? env.NEXTRUN_CHROMIUM : null;
  return onPath(browserNames, env) ?? browserElsewhere.find(isExecutable) ?? null;
}

/** Debian's names of the packages that are missing here. */
export function missingPackages(env = process.env) {
  const missing = findBrowser(env) === null ? ['chromium'] : [];
  return [...missing, ...['python3', 'sqlite3'].filter((name) => onPath([name], env) === undefined)];
}

function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
}

function install(packages) {
  console.error(`installing ${packages.join(', ')} for the tests (apt-get) …`);
  return apt('-qq', 'update') && apt('-qq', 'install', '-y', '--no-install-recommends', ...packages);
}

/**
 * Makes sure that everything the tests need is here, and gives the path of the browser. On Debian as root what is
 * missing is installed; elsewhere this throws an error that names the one command to type.
 */
export function prepareMachine() {
  const debian = existsSync('/etc/debian_version');
  const missing = missingPackages();
  if (missing.length > 0 && debian && process.getuid?.() === 0) install(missing);
  const left = missingPackages();
  const browser = findBrowser();
  if (left.length === 0 && browser !== null) return browser;
  const names = left.join(' ');
  throw new Error(
    debian
      ? `The tests need ${names}. Type: sudo apt-get install ${names}`
      : `The tests need ${names} on the PATH (another browser: NEXTRUN_CHROMIUM=/path/to/chrome npm test)`,
  );
}
