const mostLines = 300;
/** Tables of data, not code: they may be longer. */
const longAllowed = [/\/migrations\//, /\/words(\/|\.ts$)/, /\.test\.(ts|tsx|mjs)$/, /\/profiles\//];
const counted = /^(src-shared|src-main|src-renderer|e2e|scripts|bench)\/.*\.(ts|tsx|mts|mjs|js|css)$/;
const vague = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'managers']);
/** The registries: the only files that may do nothing but pass on. */
const registries = /^src-(shared|main)\/(schedules|executors|contract|words|api\/handlers)\/index\.ts$/;

function words(name) {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

function nameComplaint(file) {
  const word = file
    .split('/')
    .flatMap(words)
    .find((part) => vague.has(part));
  return word === undefined ? null : `"${word}" says nothing: name it after its one verb or noun`;
}

function lengthComplaint({ file, text }) {
  if (!counted.test(file) || longAllowed.some((pattern) => pattern.test(file))) return null;
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return lines > mostLines ? `${lines} lines, at most ${mostLines}` : null;
}

function isReExport(node) {
  if (node.type === 'ExportAllDeclaration') return true;
  return node.type === 'ExportNamedDeclaration' && node.source !== null && node.source !== undefined;
}

function barrelComplaint({ file, program }) {
  if (registries.test(file) || program === null || program.body.length === 0) return null;
  const all = program.body.find((node) => node.type === 'ExportAllDeclaration');
  if (all !== undefined) return { node: all, message: '"export *" hides where things come from' };
  if (!program.body.every(isReExport)) return null;
  return { node: program.body[0], message: 'a file that only passes on is a barrel: import from the source' };
}

function defaultExport({ file, program }) {
  if (program === null || /\.config\.(ts|mjs)$/.test(file)) return null;
  return (
    program.body.find(
      (node) =>
        node.type === 'ExportDefaultDeclaration' ||
        (node.type === 'ExportNamedDeclaration' &&
          node.specifiers.some((specifier) => specifier.exported?.name === 'default')),
    ) ?? null
  );
}

/** Complaints about a file as a whole: its name, its length, and what it exports by default or passes on. */
export function fileComplaints(source) {
  const complaints = [];
  const say = (line, rule, message) => complaints.push({ file: source.file, line, rule, message });
  const name = nameComplaint(source.file);
  if (name !== null) say(1, 'file-name', name);
  const length = lengthComplaint(source);
  if (length !== null) say(mostLines + 1, 'file-length', length);
  const barrel = barrelComplaint(source);
  if (barrel !== null) say(source.lineAt(barrel.node.start), 'no-barrel', barrel.message);
  const byDefault = defaultExport(source);
  if (byDefault !== null) say(source.lineAt(byDefault.start), 'no-default-export', 'export it by name');
  return complaints;
}
