import type { Usage } from '../../src-shared/model/outcome.ts';
import { Table } from './table.ts';

export interface SessionRow {
  id: string;
  cwd: string;
  title: string | null;
  status: string;
  created_at: number;
  updated_at: number;
  is_background_automation: number | null;
  control: string;
  external_session_id: string | null;
  automation_id: string | null;
}

export interface TurnUsage {
  input_tokens: number | null;
  output_tokens: number | null;
  cost_micros: number | null;
  currency: string | null;
}

interface NewSession {
  id: string;
  cwd: string;
  title: string;
  status: string;
  model: string | null;
  permission_mode: string | null;
  automation_id: string;
  now: number;
}

interface NewTurn {
  id: string;
  session_id: string;
  run_id: string;
  started_at: number;
  finished_at: number;
  stop_reason: string;
  usage: Usage | null;
  messages: { id: string; role: 'user' | 'assistant'; text: string; at: number }[];
}

function usageColumns(used: Usage | null) {
  return {
    model: used?.model ?? null,
    provider: used?.provider ?? null,
    input_tokens: used?.input_tokens ?? null,
    output_tokens: used?.output_tokens ?? null,
    cached_input_tokens: used?.cached_input_tokens ?? null,
    reasoning_tokens: used?.reasoning_tokens ?? null,
    cost_micros: used?.cost_micros ?? null,
    currency: used?.currency ?? null,
    usage_source: used === null ? null : 'scheduled',
  };
}

/** Conversations, their turns and messages. Token usage stands on the turn and nowhere else. */
export class SessionTable extends Table {
  readonly #insert = this.db.prepare(
    `INSERT INTO sessions (id, cwd, user_id, title, status, created_at, updated_at, last_activity_at,
       is_background_automation, source_mode, mode, model, permission_mode, conversation_origin, automation_id)
     VALUES (@id, @cwd, '', @title, @status, @now, @now, @now, 1, 'automation', 'craft', @model, @permission_mode,
       'automation', @automation_id)`,
  );
  readonly #byId = this.db.prepare<[string], SessionRow>('SELECT * FROM sessions WHERE id = ?');
  readonly #setStatus = this.db.prepare<
    [{ id: string; status: string; now: number; external: string | null }]
  >(
    `UPDATE sessions SET status = @status, updated_at = @now, last_activity_at = @now,
       external_session_id = coalesce(@external, external_session_id) WHERE id = @id`,
  );
  readonly #nextSeq = this.db
    .prepare<[string], number>(
      'SELECT coalesce(max(seq), 0) + 1 FROM conversation_turns WHERE session_id = ?',
    )
    .pluck();
  readonly #insertTurn = this.db.prepare(
    `INSERT INTO conversation_turns (id, session_id, run_id, seq, started_at, finished_at, model, provider,
       input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, cost_micros, currency, usage_source,
       stop_reason)
     VALUES (@id, @session_id, @run_id, @seq, @started_at, @finished_at, @model, @provider, @input_tokens,
       @output_tokens, @cached_input_tokens, @reasoning_tokens, @cost_micros, @currency, @usage_source, @stop_reason)`,
  );
  readonly #insertMessage = this.db.prepare(
    `INSERT INTO messages (id, session_id, turn_id, role, content_json, created_at)
     VALUES (@id, @session_id, @turn_id, @role, @content_json, @created_at)`,
  );
  readonly #usage = this.db.prepare<[string], TurnUsage>(
    'SELECT input_tokens, output_tokens, cost_micros, currency FROM conversation_turns WHERE id = ?',
  );

  get(id: string): SessionRow | undefined {
    return this.#byId.get(id);
  }

  create(session: NewSession): void {
    this.#insert.run(session);
  }

  setStatus(id: string, status: string, now: number, external: string | null = null): void {
    this.#setStatus.run({ id, status, now, external });
  }

  /** Appends one turn with its messages. */
  addTurn(turn: NewTurn): void {
    this.#insertTurn.run({
      id: turn.id,
      session_id: turn.session_id,
      run_id: turn.run_id,
      seq: this.#nextSeq.get(turn.session_id) ?? 1,
      started_at: turn.started_at,
      finished_at: turn.finished_at,
      ...usageColumns(turn.usage),
      stop_reason: turn.stop_reason,
    });
    for (const message of turn.messages) {
      this.#insertMessage.run({
        id: message.id,
        session_id: turn.session_id,
        turn_id: turn.id,
        role: message.role,
        content_json: JSON.stringify([{ type: 'text', text: message.text }]),
        created_at: message.at,
      });
    }
  }

  usageOf(turnId: string): TurnUsage | undefined {
    return this.#usage.get(turnId);
  }
}
