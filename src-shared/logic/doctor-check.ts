import type { DoctorCheck } from '../contract/doctor.ts';
import type { NamedRows } from './doctor-input.ts';

export type Repair = NonNullable<DoctorCheck['repair']>;
interface Text {
  en: string;
  zh: string;
}

/** A check that is well. */
export function well(code: string, { en, zh }: Text, subject: string | null = null): DoctorCheck {
  return { code, subject, status: 'ok', en, zh, repair: null };
}

/** A check that is not, with what repairs it. */
export function unwell(
  code: string,
  status: 'warn' | 'fail',
  { en, zh }: Text,
  repair: Repair | null,
  subject: string | null = null,
): DoctorCheck {
  return { code, subject, status, en, zh, repair };
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A size in the unit that suits it: `1.5 GiB`. */
export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit]}`;
}

/** The first names of a list, and how many more there are. */
export function namesText({ count, names }: NamedRows): string {
  const more = count - names.length;
  return more > 0 ? `${names.join(', ')} +${more}` : names.join(', ');
}
