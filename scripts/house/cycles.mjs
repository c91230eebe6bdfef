import { resolveImport } from './imports.mjs';

function graphOf(sources, exists) {
  const graph = new Map();
  for (const source of sources) {
    const edges = [];
    for (const { specifier, line } of source.imports) {
      if (!specifier.startsWith('.')) continue;
      const target = resolveImport(source.file, specifier, exists);
      if (target !== null) edges.push({ target, line });
    }
    graph.set(source.file, edges);
  }
  return graph;
}

/** Depth first; `state` is 1 while a file is on the path and 2 when all behind it is known. */
function search(graph, file, path, state, found) {
  state.set(file, 1);
  path.push(file);
  for (const { target, line } of graph.get(file) ?? []) {
    if (state.get(target) === 1) {
      const circle = [...path.slice(path.indexOf(target)), target];
      found.push({ file, line, rule: 'no-cycle', message: `files import each other: ${circle.join(' → ')}` });
    } else if (state.get(target) === undefined) search(graph, target, path, state, found);
  }
  path.pop();
  state.set(file, 2);
}

/** One complaint for each import that closes a circle; imports of types count. */
export function cycleComplaints(sources, exists) {
  const graph = graphOf(sources, exists);
  const state = new Map();
  const found = [];
  for (const file of graph.keys()) if (!state.has(file)) search(graph, file, [], state, found);
  return found;
}
