import { isTest, walk } from './source.mjs';

const timers = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const globals = new Set(['globalThis', 'window', 'self', 'global']);
/** `Owner.member` that reads time, chance or a timer. */
const clockMembers = new Set(['Date.now', 'Math.random', 'Temporal.Now', 'AbortSignal.timeout']);
const timerModules = new Set(['timers', 'timers/promises', 'node:timers', 'node:timers/promises']);
const skippers = new Set(['skip', 'only', 'todo', 'fixme']);
const testRoots = new Set(['test', 'it', 'describe', 'suite', 'bench']);

const isConfig = (file) => /\.config\.(ts|mjs)$/.test(file);
const outsideTheProgram = (file) =>
  isTest(file) || isConfig(file) || /^(scripts|bench|src-main\/testing)\//.test(file);
const mayReadClock = (file) =>
  file === 'src-main/engine/clock.ts' || file === 'src-renderer/clock.ts' || outsideTheProgram(file);
const mayReadProcess = (file) => file.startsWith('src-main/hosts/') || outsideTheProgram(file);
const mayUseIpc = (file) => /^src-main\/hosts\/electron\/preload\b/.test(file);

const typeOnly = /^TS(?!AsExpression|NonNullExpression|SatisfiesExpression|InstantiationExpression)/;
const propertyOf = (node) =>
  node.computed
    ? node.property.type === 'Literal'
      ? String(node.property.value)
      : null
    : node.property.name;
const nameOf = (node) => {
  if (node.type === 'Identifier') return node.name;
  return node.type === 'MemberExpression' ? propertyOf(node) : null;
};

/** Whether an identifier stands for the value of that name, not for a key, a member or a type. */
function isReference(node, parent, key) {
  if (node.type !== 'Identifier' || parent === null || typeOnly.test(parent.type)) return false;
  if (parent.type === 'MemberExpression' && key === 'property' && !parent.computed) return false;
  if (/Property|MethodDefinition/.test(parent.type) && key === 'key' && !parent.computed) return false;
  return !/Specifier$/.test(parent.type);
}

function clockUse(node, parent, key) {
  if (node.type === 'MemberExpression') {
    const used = `${nameOf(node.object)}.${propertyOf(node)}`;
    if (clockMembers.has(used)) return used;
    return globals.has(nameOf(node.object)) && timers.has(propertyOf(node)) ? propertyOf(node) : null;
  }
  if (node.type === 'NewExpression' && nameOf(node.callee) === 'Date' && node.arguments.length === 0)
    return 'new Date()';
  if (node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'Date')
    return 'Date()';
  if (node.type === 'ImportDeclaration' && timerModules.has(node.source.value)) return node.source.value;
  return timers.has(node.name) && isReference(node, parent, key) ? node.name : null;
}

function processUse(node) {
  if (node.type === 'MemberExpression' && nameOf(node.object) === 'process') {
    return ['env', 'argv'].find((name) => name === propertyOf(node)) ?? null;
  }
  if (node.type === 'VariableDeclarator' && node.init !== null && nameOf(node.init) === 'process') {
    const keys =
      node.id.type === 'ObjectPattern' ? node.id.properties.map((property) => property.key?.name) : [];
    return ['env', 'argv'].find((name) => keys.includes(name)) ?? null;
  }
  if (node.type === 'ImportDeclaration' && /^(node:)?process$/.test(node.source.value)) {
    const names = node.specifiers.map((specifier) => specifier.imported?.name);
    return ['env', 'argv'].find((name) => names.includes(name)) ?? null;
  }
  return null;
}

function rootOf(node) {
  let at = node;
  while (at.type === 'MemberExpression' || at.type === 'CallExpression') at = at.object ?? at.callee;
  return at.type === 'Identifier' ? at.name : null;
}

function skipUse(node, parent, key) {
  if (node.type !== 'MemberExpression') return null;
  const name = propertyOf(node);
  if (name === 'waitForTimeout') return 'waitForTimeout: wait for what should happen, not for time';
  if (!skippers.has(name)) return null;
  const called = parent?.type === 'CallExpression' && key === 'callee';
  return called || testRoots.has(rootOf(node)) ? `.${name}: every test runs, always` : null;
}

function usesHtml(node, parent, key) {
  const word = 'dangerouslySetInnerHTML';
  if (node.type === 'JSXIdentifier') return node.name === word;
  if (node.type === 'Identifier')
    return node.name === word && (key === 'key' || isReference(node, parent, key));
  return node.type === 'Literal' && node.value === word && key === 'key';
}

/** Complaints about expressions: clock, environment, IPC, raw markup, tests that do not run. */
export function codeComplaints(source) {
  const { file, program } = source;
  if (program === null) return [];
  const complaints = [];
  walk(program, (node, parent, key) => {
    const say = (rule, message) => complaints.push({ file, line: source.lineAt(node.start), rule, message });
    const clock = mayReadClock(file) ? null : clockUse(node, parent, key);
    if (clock !== null) say('clock', `${clock}: time comes in as an argument; only the clock file reads it`);
    const used = mayReadProcess(file) ? null : processUse(node);
    if (used !== null) say('process', `process.${used}: only hosts read it`);
    if (node.type === 'Identifier' && node.name === 'ipcRenderer' && !mayUseIpc(file)) {
      say('ipc', 'ipcRenderer belongs to the preload alone');
    }
    if (usesHtml(node, parent, key)) say('no-raw-html', 'text that comes back is shown as text');
    const skip = isTest(file) ? skipUse(node, parent, key) : null;
    if (skip !== null) say('tests-run', skip);
  });
  return complaints;
}
