import { ensureBuild } from './build.mjs';
import { endLike, requireNode, root, runInherited } from './run-node.mjs';

/** `npm start`: builds when needed and serves the workbench; arguments go to `nextrun serve`. */
await requireNode();
try {
  await ensureBuild();
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
console.error('This version has no window of its own: open the address below in a browser. Ctrl-C stops it.');
const program = [`${root}/out/main/nextrun.js`, 'serve'];
endLike(await runInherited(process.execPath, [...program, ...process.argv.slice(2)]));
