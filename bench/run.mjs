import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { ensureBuild } from '../scripts/build.mjs';
import { isProgram, requireNode, root } from '../scripts/run-node.mjs';

/**
 * `npm run bench`: measures the figures of the speed goals as ratios to peers and floors of the same run, prints them
 * and writes bench/results. `--full` adds a million rows; `--only latency,reads` runs some; `--program` takes
 * another build.
 */
const options = {
  full: { type: 'boolean', default: false },
  only: { type: 'string' },
  program: { type: 'string' },
};
const all = ['latency', 'throughput', 'accepted', 'reads', 'spawns', 'output', 'memory', 'events'];
const here = join(root, 'bench');
const outFolder = join(here, 'node_modules', '.built');
const external = [
  'better-sqlite3',
  'plainjob',
  'knex',
  '@boringnode/queue',
  '@boringnode/queue/drivers/knex_adapter',
];

/** Installs exactly what bench/package-lock.json says, once for each state of it. */
function installPeers() {
  const mark = join(here, 'node_modules', '.installed-lock');
  const lock = readFileSync(join(here, 'package-lock.json'), 'utf8');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return;
  console.error('installing the peers of the bench (npm ci in bench/)');
  execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: here, stdio: 'inherit' });
  writeFileSync(mark, lock);
}

/** Bundles bench/src beside the peers, so that they and we load the same better-sqlite3. */
async function bundle() {
  const { build } = await import('vite');
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    define: { __NEXTRUN_VERSION__: '"bench"' },
    ssr: { noExternal: true, external },
    build: {
      ssr: join(here, 'src/main.ts'),
      outDir: outFolder,
      emptyOutDir: true,
      minify: false,
      target: 'node22',
    },
  });
}

async function measure(name, { full, program }) {
  const args = [join(outFolder, 'main.js'), name, ...(full ? ['full'] : [])];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: {
      ...process.env,
      NEXTRUN_BENCH_PROGRAM: program,
      NEXTRUN_BENCH_BARE: join(here, 'src/bare-node.mjs'),
    },
    maxBuffer: 16 * 1024 * 1024,
  });
  return JSON.parse(stdout.trim().split('\n').at(-1));
}

const number = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

function print(line) {
  const { goal } = line;
  const wanted = goal.most === undefined ? `≥ ${goal.least}` : `≤ ${goal.most}`;
  const cells = [
    String(line.figure).padStart(2),
    line.what.padEnd(58),
    `${number(line.ours)} ${line.unit}`.padStart(14),
    `${line.against} ${number(line.reference)}`.padStart(32),
    number(line.ratio).padStart(6),
    wanted.padStart(6),
    line.met ? 'met' : 'NOT MET',
  ];
  console.log(cells.join('  '));
}

async function main() {
  const { values } = parseArgs({ options });
  if (values.program === undefined) await ensureBuild();
  const program = values.program ?? join(root, 'out/main/nextrun.js');
  installPeers();
  await bundle();
  const started = new Date();
  const lines = [];
  for (const name of values.only?.split(',') ?? all) {
    try {
      const found = await measure(name, { full: values.full, program });
      for (const line of found) print(line);
      lines.push(...found);
    } catch (error) {
      console.log(`${name} could not be measured: ${error.stderr ?? error}`);
      process.exitCode = 1;
    }
  }
  const cpu = cpus();
  const machine = { cpu: cpu[0]?.model ?? 'unknown', cores: cpu.length, node: process.version };
  mkdirSync(join(here, 'results'), { recursive: true });
  const file = join(here, 'results', `${started.toISOString().slice(0, 19).replaceAll(':', '')}.json`);
  const result = { date: started.toISOString(), full: values.full, machine, lines };
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
  const missed = lines.filter((line) => !line.met).length;
  console.log(`${lines.length - missed} of ${lines.length} goals met; ${file.slice(root.length + 1)}`);
}

if (isProgram(import.meta.url)) {
  await requireNode();
  await main();
}
