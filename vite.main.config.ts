import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'));

/**
 * Builds the two programs of Node: the command with its hosts, and the launcher. Everything but the native
 * better-sqlite3 is bundled, so that node_modules need not be shipped. Chunks lie beside the entries: a path
 * made from import.meta.url means the same in each of them.
 */
export default defineConfig({
  root: at('.'),
  define: { __NEXTRUN_VERSION__: JSON.stringify(version) },
  publicDir: false,
  ssr: { noExternal: true, external: ['better-sqlite3'] },
  build: {
    ssr: true,
    outDir: at('out/main'),
    emptyOutDir: true,
    target: 'node20.18',
    // Stack traces of a host that a user runs should be readable.
    minify: false,
    rolldownOptions: {
      input: {
        nextrun: at('src-main/hosts/entry.ts'),
        launcher: at('src-main/hosts/launcher/main.ts'),
      },
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: '[name]-[hash].js',
        banner: (chunk) => (chunk.name === 'nextrun' ? '#!/usr/bin/env node' : ''),
      },
    },
  },
});
