import type { Doctor, DoctorCheck } from '../contract/doctor.ts';
import type { DoctorInput } from './doctor-input.ts';
import { machineChecks } from './doctor-machine.ts';
import { rowChecks } from './doctor-rows.ts';

function worst(checks: readonly DoctorCheck[]): Doctor['status'] {
  if (checks.some((check) => check.status === 'fail')) return 'fail';
  return checks.some((check) => check.status === 'warn') ? 'warn' : 'ok';
}

/** Judges the facts: every check with its words in both languages and, unless it is well, a repair. Pure. */
export function doctor(input: DoctorInput): Doctor {
  const checks = [...machineChecks(input), ...(input.rows === null ? [] : rowChecks(input, input.rows))];
  return { status: worst(checks), version: input.version, now: input.now, checks };
}
