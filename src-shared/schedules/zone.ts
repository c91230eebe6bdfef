import { BoundedCache, ScheduleError, type ScheduleWarning } from './kind.ts';

/** Abbreviations and their readings. Intl takes some of them and means only one of those. */
const abbreviations: Record<string, readonly string[]> = {
  CST: ['America/Chicago', 'Asia/Shanghai', 'America/Havana'],
  CDT: ['America/Chicago', 'America/Havana'],
  EST: ['America/New_York', 'America/Panama'],
  EDT: ['America/New_York'],
  MST: ['America/Denver', 'America/Phoenix'],
  MDT: ['America/Denver'],
  PST: ['America/Los_Angeles', 'Asia/Manila'],
  PDT: ['America/Los_Angeles'],
  AKST: ['America/Anchorage'],
  AKDT: ['America/Anchorage'],
  HST: ['Pacific/Honolulu'],
  AST: ['America/Halifax', 'Asia/Riyadh'],
  ADT: ['America/Halifax'],
  NST: ['America/St_Johns'],
  BST: ['Europe/London', 'Asia/Dhaka'],
  IST: ['Asia/Kolkata', 'Europe/Dublin', 'Asia/Jerusalem'],
  CEST: ['Europe/Berlin', 'Europe/Paris'],
  EEST: ['Europe/Athens', 'Europe/Helsinki'],
  WEST: ['Europe/Lisbon'],
  MSK: ['Europe/Moscow'],
  GST: ['Asia/Dubai'],
  PKT: ['Asia/Karachi'],
  WIB: ['Asia/Jakarta'],
  HKT: ['Asia/Hong_Kong'],
  SGT: ['Asia/Singapore'],
  PHT: ['Asia/Manila'],
  JST: ['Asia/Tokyo'],
  KST: ['Asia/Seoul'],
  AEST: ['Australia/Sydney', 'Australia/Brisbane'],
  AEDT: ['Australia/Sydney'],
  ACST: ['Australia/Adelaide', 'Australia/Darwin'],
  AWST: ['Australia/Perth'],
  NZST: ['Pacific/Auckland'],
  NZDT: ['Pacific/Auckland'],
  SST: ['Pacific/Pago_Pago', 'Asia/Singapore'],
  BRT: ['America/Sao_Paulo'],
  ART: ['America/Argentina/Buenos_Aires'],
  CAT: ['Africa/Harare'],
  EAT: ['Africa/Nairobi'],
  SAST: ['Africa/Johannesburg'],
};

/** Places that people name and the zone that covers them. Keys in lower case without the region. */
const places: Record<string, string> = {
  beijing: 'Asia/Shanghai',
  peking: 'Asia/Shanghai',
  shenzhen: 'Asia/Shanghai',
  guangzhou: 'Asia/Shanghai',
  hangzhou: 'Asia/Shanghai',
  china: 'Asia/Shanghai',
  北京: 'Asia/Shanghai',
  上海: 'Asia/Shanghai',
  中国: 'Asia/Shanghai',
  香港: 'Asia/Hong_Kong',
  台北: 'Asia/Taipei',
  东京: 'Asia/Tokyo',
  hongkong: 'Asia/Hong_Kong',
  osaka: 'Asia/Tokyo',
  delhi: 'Asia/Kolkata',
  new_delhi: 'Asia/Kolkata',
  mumbai: 'Asia/Kolkata',
  bangalore: 'Asia/Kolkata',
  india: 'Asia/Kolkata',
  hanoi: 'Asia/Ho_Chi_Minh',
  tel_aviv: 'Asia/Jerusalem',
  abu_dhabi: 'Asia/Dubai',
  san_francisco: 'America/Los_Angeles',
  seattle: 'America/Los_Angeles',
  washington: 'America/New_York',
  boston: 'America/New_York',
  miami: 'America/New_York',
  dallas: 'America/Chicago',
  houston: 'America/Chicago',
  montreal: 'America/Toronto',
  munich: 'Europe/Berlin',
  hamburg: 'Europe/Berlin',
  frankfurt: 'Europe/Berlin',
  milan: 'Europe/Rome',
  barcelona: 'Europe/Madrid',
  geneva: 'Europe/Zurich',
  st_petersburg: 'Europe/Moscow',
  canberra: 'Australia/Sydney',
  wellington: 'Pacific/Auckland',
};

const field = 'schedule.timezone';

function known(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    // Intl tells an unknown zone by throwing; there is no other way to ask.
    return null;
  }
}

function refuse(name: string, message: string, hint: string): never {
  throw new ScheduleError('timezone_invalid', field, `"${name}" ${message}`, hint);
}

/** `asia/shanghai` → `Asia/Shanghai`; Intl resolves links to other names, so the case is mended by hand. */
function mendCase(name: string, resolved: string): string {
  if (resolved.toLowerCase() === name.toLowerCase()) return resolved;
  if (name !== name.toLowerCase() && name !== name.toUpperCase()) return name;
  if (!name.includes('/')) return name;
  const small = new Set(['of', 'es', 'au']);
  const word = (text: string) => (small.has(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));
  const mended = name.toLowerCase().replace(/[^/_-]+/g, word);
  return known(mended) === null ? name : mended;
}

function refuseUnknown(name: string): never {
  const place = (name.split('/').at(-1) ?? name)
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const meant = places[place] ?? places[place.replaceAll('_', '')];
  if (meant !== undefined) {
    refuse(name, `is not an IANA time zone; ${meant} was probably meant.`, `Write ${meant}.`);
  }
  const joined = name.trim().replace(/\s+/g, '_');
  if (joined !== name && known(joined) !== null) {
    refuse(name, `is not an IANA time zone; ${joined} was probably meant.`, `Write ${joined}.`);
  }
  refuse(name, 'is not an IANA time zone.', 'Write a name such as Asia/Shanghai, Europe/Berlin or UTC.');
}

/** Checked names: asking Intl takes longer than computing ten occurrences. */
const checked = new BoundedCache<string>(256);

/**
 * Checks the name of a time zone and gives it in its usual spelling (`asia/shanghai` → `Asia/Shanghai`).
 * Accepts UTC and real IANA names. Throws ScheduleError `timezone_invalid` for abbreviations that mean
 * several places (CST, IST), offsets (GMT+8, +08:00) and places that are not zones (Asia/Beijing).
 */
export function checkZone(input: string): string {
  return checked.get(input, () => check(input));
}

function check(input: string): string {
  const name = input.trim();
  if (name === '') refuse(input, 'is empty.', 'Write a name such as Asia/Shanghai, Europe/Berlin or UTC.');
  const upper = name.toUpperCase();
  if (upper === 'UTC' || upper === 'Z' || upper === 'ETC/UTC') return 'UTC';
  const readings = abbreviations[upper];
  if (readings !== undefined) {
    const names = readings.join(' or ');
    const means =
      readings.length > 1 ? `is ambiguous: it can mean ${names}.` : `is an abbreviation of ${names}.`;
    refuse(name, `${means} It also says nothing about daylight-saving time.`, `Write ${names}.`);
  }
  if (/^(GMT|UTC|UT|Z)?\s*[-+−]\s*\d{1,2}(:?\d{2})?$/i.test(name)) {
    const east = /^(GMT|UTC|UT)?\s*\+\s*0?8(:?00)?$/i.test(name);
    const meant = east
      ? 'Asia/Shanghai (or Asia/Singapore, Australia/Perth …)'
      : 'an IANA name such as Europe/Berlin';
    refuse(
      name,
      'is an offset, not a time zone: it does not follow daylight-saving time.',
      `Write ${meant}.`,
    );
  }
  const resolved = known(name);
  if (resolved === null) return refuseUnknown(name);
  return mendCase(name, resolved);
}

/** Warns of `Etc/GMT+8`, a real name whose sign is the reverse of what it seems. */
export function zoneWarnings(zone: string | undefined): ScheduleWarning[] {
  const match = /^Etc\/GMT([+-])(\d{1,2})$/.exec(zone ?? '');
  if (match === null || match[2] === '0') return [];
  const behind = match[1] === '+';
  return [
    {
      code: 'zone_sign',
      en: `${zone} is ${match[2]} h ${behind ? 'behind' : 'ahead of'} UTC: the sign of these names is reversed.`,
      zh: `${zone} 比 UTC ${behind ? '晚' : '早'} ${match[2]} 小时：这类名称的正负号与通常相反。`,
    },
  ];
}
