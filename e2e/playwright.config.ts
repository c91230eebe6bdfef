import { defineConfig } from 'playwright/test';

/** Real hosts on free ports, each with a data folder of its own: tests do not know of each other. */
export default defineConfig({
  testDir: './specs',
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  outputDir: '../test-results',
  use: { trace: 'off' },
});
