import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../src-shared/clock.ts';
import type { Logins } from '../api/handler.ts';
import { sha256 } from '../storage/access.ts';

const codeForMs = 600_000;

/** Whether two secrets are equal, in a time that tells nothing about either. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(one)), Buffer.from(sha256(other)));
}

/** One-time codes for the page, kept in memory for ten minutes: a restart of the host makes them worthless. */
export function createLogins(clock: Clock, baseUrl: () => string): Logins {
  const codes = new Map<string, number>();
  return {
    create() {
      const code = randomBytes(24).toString('base64url');
      const expires_at = clock.now() + codeForMs;
      codes.set(sha256(code), expires_at);
      return { code, url: `${baseUrl()}/#login=${code}`, expires_at };
    },
    redeem(code) {
      const key = sha256(code);
      const expires = codes.get(key);
      codes.delete(key);
      return expires !== undefined && clock.now() < expires;
    },
  };
}
