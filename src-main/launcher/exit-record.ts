import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../src-shared/model/outcome.ts';

/** Name of the record inside the run's folder. */
export const exitRecordName = 'outcome.json';

/**
 * Makes the folder of a run before its program starts. A host that died before it heard of the start learns from it
 * that the program may have run. Throws the system's error (no space, no right).
 */
export function markStarted(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
}

/**
 * Writes the outcome where a host that was dead when the run ended finds it (ruling 4). Folder 0700, file 0600;
 * it is complete or absent, since it is renamed into place. Throws the system's error (no space, no right).
 */
export function writeExitRecord(folder: string, outcome: Outcome): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  const file = join(folder, exitRecordName);
  const draft = `${file}.${process.pid}.tmp`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    // writeSync may write less than asked.
    for (let rest = Buffer.from(JSON.stringify(outcome)); rest.length > 0; ) {
      rest = rest.subarray(writeSync(handle, rest));
    }
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}
