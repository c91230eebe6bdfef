import { createHash } from 'node:crypto';
import type { Db } from './open.ts';

export type Scope = 'run' | 'read' | 'admin';
export interface TokenRow {
  id: string;
  scope: Scope;
  label: string;
  expires_at: number | null;
}
export interface StoredAnswer {
  route: string;
  body_hash: string;
  status: number;
  response_json: string;
}

/** SHA-256 of a secret or a body, hex: only this is stored. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Further tokens (their hashes), answers kept for idempotency keys, and the audit log. */
export function accessTables(db: Db) {
  const tokenByHash = db.prepare<[string, number], TokenRow>(
    'SELECT id, scope, label, expires_at FROM tokens WHERE hash = ? AND (expires_at IS NULL OR expires_at > ?)',
  );
  const insertToken = db.prepare(
    `INSERT INTO tokens (id, hash, scope, label, created_at, expires_at)
     VALUES (@id, @hash, @scope, @label, @created_at, @expires_at)`,
  );
  const dropExpired = db.prepare<[number]>('DELETE FROM tokens WHERE expires_at <= ?');
  const answer = db.prepare<[string, string, number], StoredAnswer>(
    `SELECT route, body_hash, status, response_json FROM idempotency
     WHERE token = ? AND key = ? AND expires_at > ?`,
  );
  const keep = db.prepare(
    `INSERT OR REPLACE INTO idempotency (token, key, route, body_hash, status, response_json, expires_at)
     VALUES (@token, @key, @route, @body_hash, @status, @response_json, @expires_at)`,
  );
  const audit = db.prepare(
    'INSERT INTO audit_log (at, actor, route, target, outcome) VALUES (@at, @actor, @route, @target, @outcome)',
  );
  return {
    /** The token of this secret when there is one that has not expired. */
    token: (secret: string, now: number): TokenRow | undefined => tokenByHash.get(sha256(secret), now),
    addToken(token: TokenRow & { secret: string; created_at: number }): void {
      const { secret, ...row } = token;
      dropExpired.run(token.created_at);
      insertToken.run({ ...row, hash: sha256(secret) });
    },
    /** What was answered to this key before. */
    answer: (tokenId: string, key: string, now: number): StoredAnswer | undefined =>
      answer.get(tokenId, key, now),
    keepAnswer(kept: StoredAnswer & { token: string; key: string; expires_at: number }): void {
      keep.run(kept);
    },
    audit(entry: { at: number; actor: string; route: string; target: string | null; outcome: string }): void {
      audit.run(entry);
    },
  };
}
export type AccessTables = ReturnType<typeof accessTables>;
