import { posix } from 'node:path';
import { isTest } from './source.mjs';

/**
 * Who may import whom (ARCHITECTURE.md). A layer is the longest folder that a path begins with; `may` are the
 * folders or files it may import besides its own. hosts wires everything, testing may reach everything.
 */
const layers = [
  { at: 'src-shared/', may: [] },
  { at: 'src-main/storage/', may: ['src-shared/'] },
  { at: 'src-main/launcher/', may: ['src-shared/'] },
  { at: 'src-main/executors/', may: ['src-shared/'] },
  { at: 'src-main/engine/', may: ['src-main/storage/', 'src-main/launcher/protocol.ts', 'src-shared/'] },
  { at: 'src-main/delivery/', may: ['src-main/storage/', 'src-shared/'] },
  { at: 'src-main/api/', may: ['src-main/engine/', 'src-main/storage/', 'src-shared/'] },
  { at: 'src-main/hosts/', may: ['src-main/', 'src-shared/'], except: ['src-main/testing/'] },
  { at: 'src-main/testing/', may: ['src-main/', 'src-shared/', 'e2e/programs/'] },
  { at: 'src-renderer/', may: ['src-shared/'] },
  { at: 'e2e/', may: ['src-shared/contract/', 'src-main/testing/'] },
  { at: 'scripts/', may: [] },
  { at: 'bench/', may: ['src-main/', 'src-shared/', 'scripts/'] },
];

const begins = (file, folders) => folders.some((folder) => file.startsWith(folder));

/** Packages that belong to one part of the house: who may import them, and why nobody else may. */
const keptIn = [
  {
    names: ['electron'],
    where: ['src-main/hosts/electron/'],
    why: 'plain Node cannot load it: only hosts/electron may',
  },
  {
    names: ['better-sqlite3'],
    where: ['src-main/storage/', 'src-main/testing/', 'e2e/', 'bench/'],
    tests: true,
    why: 'storage is the only SQL',
  },
  {
    names: ['node:sqlite', 'sqlite'],
    where: ['src-main/testing/', 'e2e/'],
    tests: true,
    why: 'a second SQLite library in the process drops the locks of the first',
  },
  {
    names: ['child_process', 'node:child_process'],
    // launcher: spawns the children. hosts: forks the launcher and starts the pinned Node again.
    // scripts: run vitest and playwright. bench: what it measures. testing, e2e: start real hosts and foreign programs.
    where: ['src-main/launcher/', 'src-main/hosts/', 'src-main/testing/', 'e2e/', 'scripts/', 'bench/'],
    tests: true,
    why: 'only the launcher starts processes (a spawn blocks the one who does it)',
  },
];

const sharedPackages = ['zod', 'croner', 'rrule-temporal', 'temporal-polyfill', '@hono/zod-openapi'];
const builtin =
  /^(node:|(fs|path|os|crypto|child_process|process|util|events|stream|timers|url|worker_threads|http|net)(\/|$))/;

function packageOf(specifier) {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}

function packageComplaint(file, specifier) {
  const name = specifier.startsWith('node:') ? specifier : packageOf(specifier);
  const kept = keptIn.find((rule) => rule.names.includes(name));
  const testMay = kept?.tests === true && isTest(file);
  if (kept !== undefined && !testMay && !begins(file, kept.where)) return `${name}: ${kept.why}`;
  if (isTest(file)) return null;
  if (file.startsWith('src-renderer/') && builtin.test(specifier))
    return `${specifier}: the page runs in a browser`;
  if (file.startsWith('src-shared/') && !sharedPackages.includes(name)) {
    return `${name}: src-shared is pure and uses only ${sharedPackages.join(', ')}`;
  }
  return null;
}

/** The file a relative import means, or null when there is none. `?raw` and the like are dropped. */
export function resolveImport(file, specifier, exists) {
  const target = posix.join(posix.dirname(file), specifier.replace(/[?#].*$/, ''));
  const candidates = [target, `${target}.ts`, `${target}.tsx`, `${target}.mjs`, `${target}/index.ts`];
  return candidates.find((candidate) => exists(candidate)) ?? null;
}

function relativeComplaint(file, target) {
  const mayTest = isTest(file) || begins(file, ['src-main/testing/', 'bench/']);
  if (target.startsWith('src-main/testing/') && !mayTest) {
    return 'src-main/testing is imported by tests only';
  }
  if (/\.test\.(ts|tsx|mjs)$/.test(target)) return 'a test is imported by nobody';
  if (isTest(target) && !isTest(file)) return 'what tests are made of is imported by tests only';
  const layer = layers.find((candidate) => file.startsWith(candidate.at));
  if (layer === undefined || target.startsWith(layer.at)) return null;
  // A test may take whatever its side of the house has; the browser tests stay outside like a user.
  if (isTest(file) && !file.startsWith('e2e/')) {
    const side = `${file.split('/')[0]}/`;
    if (begins(target, [side, 'src-shared/', 'src-main/testing/', 'e2e/programs/'])) return null;
  }
  if (begins(target, layer.may) && !begins(target, layer.except ?? [])) return null;
  const allowed = layer.may.length === 0 ? 'nothing outside it' : layer.may.join(', ');
  return `${layer.at} may import ${allowed}; not ${target}`;
}

/** Complaints about what one file imports. */
export function importComplaints(source, exists) {
  const complaints = [];
  for (const { specifier, line } of source.imports) {
    const say = (message) => complaints.push({ file: source.file, line, rule: 'imports', message });
    if (!specifier.startsWith('.')) {
      const message = packageComplaint(source.file, specifier);
      if (message !== null) say(message);
      continue;
    }
    const target = resolveImport(source.file, specifier, exists);
    if (target === null) {
      say(`${specifier} is not there`);
      continue;
    }
    const message = relativeComplaint(source.file, target);
    if (message !== null) say(message);
  }
  return complaints;
}
