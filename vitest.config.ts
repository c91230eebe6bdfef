import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** Unit and integration tests: real files and processes, so each file gets a process of its own. */
export default defineConfig({
  define: { __NEXTRUN_VERSION__: JSON.stringify(version) },
  test: {
    include: [
      'src-shared/**/*.test.ts',
      'src-main/**/*.test.ts',
      'src-renderer/**/*.test.{ts,tsx}',
      'scripts/**/*.test.mjs',
    ],
    environment: 'node',
    pool: 'forks',
    testTimeout: 20_000,
  },
});
