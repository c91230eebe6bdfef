import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeComplaints } from './house/code.mjs';
import { commentComplaints } from './house/comments.mjs';
import { cycleComplaints } from './house/cycles.mjs';
import { fileComplaints } from './house/files.mjs';
import { importComplaints } from './house/imports.mjs';
import { readSource } from './house/source.mjs';
import { isProgram, root } from './run-node.mjs';

/** The rules of the house that no linter knows (ARCHITECTURE.md, CONTRIBUTING.md). */

const folders = ['src-shared', 'src-main', 'src-renderer', 'e2e', 'scripts', 'bench'];
const readable = /\.(ts|tsx|mts|mjs|js|css)$/;

/**
 * Checks a tree of files, `files` from path (forward slashes, from the root) to text; the text of a file that
 * is not code may be empty.
 * @returns {import('./house/source.mjs').Complaint[]} in order of file and line
 */
export function lintHouse(files) {
  const exists = (path) => files.has(path);
  const sources = [...files]
    .filter(([file]) => readable.test(file))
    .map(([file, text]) => readSource(file, text));
  const complaints = sources.flatMap((source) => [
    ...(source.error === null
      ? []
      : [{ file: source.file, line: source.error.line, rule: 'syntax', message: source.error.message }]),
    ...fileComplaints(source),
    ...importComplaints(source, exists),
    ...codeComplaints(source),
    ...commentComplaints(source, exists),
  ]);
  complaints.push(...cycleComplaints(sources, exists));
  return complaints.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
}

function readTree() {
  const files = new Map();
  const add = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.name === 'node_modules') continue;
      if (entry.isDirectory()) {
        if (folder !== '' || folders.includes(entry.name) || entry.name === 'docs') add(path);
      } else files.set(path, readable.test(path) ? readFileSync(join(root, path), 'utf8') : '');
    }
  };
  add('');
  return files;
}

function main() {
  const complaints = lintHouse(readTree());
  for (const { file, line, rule, message } of complaints) console.error(`${file}:${line} ${rule} ${message}`);
  if (complaints.length === 0) return;
  console.error(`${complaints.length} against the rules of the house (CONTRIBUTING.md, "Rules")`);
  process.exitCode = 1;
}

if (isProgram(import.meta.url)) main();
