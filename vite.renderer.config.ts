import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** Builds the page that `nextrun serve` and the window show. Nothing may be inlined: the CSP forbids it. */
export default defineConfig({
  root: fileURLToPath(new URL('src-renderer', import.meta.url)),
  base: '/',
  plugins: [react()],
  build: {
    outDir: '../out/renderer',
    emptyOutDir: true,
    target: 'chrome130',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
