import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isProgram, requireNode, root } from './run-node.mjs';
import { sourceHash } from './source-hash.mjs';

const inputs = [
  'src-shared',
  'src-main',
  'src-renderer',
  'vite.main.config.ts',
  'vite.renderer.config.ts',
  'package.json',
  'package-lock.json',
  'scripts/build.mjs',
];
const products = ['out/main/nextrun.js', 'out/main/launcher.js', 'out/renderer/index.html'];

function isFresh(hashFile, hash) {
  if (!existsSync(hashFile) || readFileSync(hashFile, 'utf8') !== hash) return false;
  return products.every((file) => existsSync(join(root, file)));
}

/** Every module that loading `entry` loads at once, dynamic imports left out. */
function loadedAtOnce(chunks, entry, seen = new Set()) {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  const chunk = chunks.find((candidate) => candidate.fileName === entry);
  for (const name of chunk?.imports ?? []) loadedAtOnce(chunks, name, seen);
  return seen;
}

/** The command must be able to say that a Node is too old; loading the database there would crash it first. */
function checkEntry(chunks) {
  if (!loadedAtOnce(chunks, 'nextrun.js').has('better-sqlite3')) return;
  throw new Error('src-main/hosts/entry.ts loads better-sqlite3 before it has checked the version of Node');
}

async function buildAll() {
  const { build } = await import('vite');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const shared = {
    logLevel: 'warn',
    define: { __NEXTRUN_VERSION__: JSON.stringify(version) },
    // Nothing is loaded over a network: the size of a chunk is no reason for a warning.
    build: { chunkSizeWarningLimit: 10_000 },
  };
  await build({ ...shared, configFile: join(root, 'vite.renderer.config.ts') });
  const main = await build({ ...shared, configFile: join(root, 'vite.main.config.ts') });
  checkEntry(main.output);
  chmodSync(join(root, 'out/main/nextrun.js'), 0o755);
}

/**
 * Builds out/renderer and out/main when a source, a configuration or the lock file has changed since the last
 * build. Prints one line when it builds. Throws what Vite throws; the next call then builds again.
 */
export async function ensureBuild({ force = false } = {}) {
  const hashFile = join(root, 'out/.build-hash');
  const hash = sourceHash(root, inputs);
  if (!force && isFresh(hashFile, hash)) return { built: false };
  const started = performance.now();
  rmSync(hashFile, { force: true });
  await buildAll();
  mkdirSync(join(root, 'out'), { recursive: true });
  writeFileSync(hashFile, hash);
  console.error(`built out/ in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return { built: true };
}

async function main() {
  await requireNode();
  try {
    const { built } = await ensureBuild({ force: process.argv.includes('--force') });
    if (!built) console.error('out/ is up to date');
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}

if (isProgram(import.meta.url)) await main();
