import { parseSync } from 'vite';

/**
 * @typedef {{ file: string, line: number, rule: string, message: string }} Complaint
 * @typedef {{ specifier: string, line: number, names: string[] }} Import
 * @typedef {{ file: string, text: string, program: object | null, comments: { value: string, line: number }[],
 *   imports: Import[], error: { line: number, message: string } | null, lineAt(offset: number): number }} Source
 */

const parsable = /\.(ts|tsx|mts|mjs|js)$/;

function lineFinder(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** Calls `visit(node, parent, key)` for every node of a syntax tree, parents first. */
export function walk(root, visit) {
  const go = (node, parent, key) => {
    visit(node, parent, key);
    for (const [name, value] of Object.entries(node)) {
      if (name === 'parent') continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child !== null && typeof child === 'object' && typeof child.type === 'string')
          go(child, node, name);
      }
    }
  };
  go(root, null, '');
}

function importedNames(node) {
  return (node.specifiers ?? []).flatMap(
    (specifier) => specifier.imported?.name ?? specifier.imported?.value ?? [],
  );
}

/** Every module a file names: static and dynamic imports, re-exports, and `import('…')` types. */
function importsOf(program, lineAt) {
  const imports = [];
  walk(program, (node) => {
    const named = [
      'ImportDeclaration',
      'ExportNamedDeclaration',
      'ExportAllDeclaration',
      'ImportExpression',
      'TSImportType',
    ];
    if (!named.includes(node.type)) return;
    const source = node.source ?? node.argument?.literal ?? node.argument;
    if (typeof source?.value !== 'string') return;
    imports.push({ specifier: source.value, line: lineAt(node.start), names: importedNames(node) });
  });
  return imports;
}

/** Reads one file of the repository; `file` is its path from the root, with forward slashes. */
export function readSource(file, text) {
  const lineAt = lineFinder(text);
  const empty = { file, text, program: null, comments: [], imports: [], error: null, lineAt };
  if (!parsable.test(file)) return empty;
  const parsed = parseSync(file, text);
  const first = parsed.errors.find((error) => error.severity === 'Error') ?? parsed.errors[0];
  if (first !== undefined) {
    const at = first.labels?.[0]?.start ?? 0;
    return { ...empty, error: { line: lineAt(at), message: first.message } };
  }
  return {
    ...empty,
    program: parsed.program,
    comments: parsed.comments.map(({ value, start }) => ({ value, line: lineAt(start) })),
    imports: importsOf(parsed.program, lineAt),
  };
}

/** Whether a file holds tests, or what only tests use (`*.fixture.ts`), or is part of the browser tests. */
export function isTest(file) {
  return /(\.test|\bfixture)\.(ts|tsx|mjs)$/.test(file) || file.startsWith('e2e/');
}
