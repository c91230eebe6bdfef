-- The compatible tables begin with exactly the WorkBuddy columns (order, types, defaults); ours follow.
CREATE TABLE automations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  prompt TEXT NOT NULL,
  status TEXT NOT NULL,
  schedule_type TEXT NOT NULL DEFAULT 'recurring',
  next_run_at INTEGER,
  last_run_at INTEGER,
  cwds TEXT NOT NULL DEFAULT '[]',
  rrule TEXT NOT NULL DEFAULT '',
  scheduled_at TEXT,
  valid_from TEXT,
  valid_until TEXT,
  model_id TEXT,
  model_is_thinking INTEGER NOT NULL DEFAULT 0,
  skills_json TEXT NOT NULL DEFAULT '[]',
  push_to_wechat INTEGER NOT NULL DEFAULT 0,
  push_to_wecom_bot INTEGER NOT NULL DEFAULT 0,
  wecom_bot_source TEXT,
  owner_user_id TEXT,
  owner_status TEXT NOT NULL DEFAULT 'legacy_unassigned',
  owner_source TEXT,
  expert_id TEXT,
  expert_marketplace TEXT,
  connector_ids_json TEXT NOT NULL DEFAULT '[]',
  permission_mode TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  deleted_at INTEGER,
  context_window INTEGER,
  reasoning_effort TEXT,
  -- ours
  description TEXT,
  kind TEXT NOT NULL DEFAULT 'agent',
  agent TEXT,
  command_json TEXT,
  shell INTEGER NOT NULL DEFAULT 0,
  target_id TEXT,
  target_name TEXT,
  parameters_json TEXT,
  topic_id TEXT,
  schedule_kind TEXT,
  cron_expression TEXT,
  interval_ms INTEGER,
  anchor_at INTEGER,
  anchor_mode TEXT NOT NULL DEFAULT 'fixed',
  timezone TEXT,
  jitter_ms INTEGER NOT NULL DEFAULT 0,
  next_slot_at INTEGER,
  target_mode TEXT NOT NULL DEFAULT 'isolated',
  session_id TEXT,
  conflict_policy TEXT NOT NULL DEFAULT 'defer',
  defer_seconds INTEGER NOT NULL DEFAULT 300,
  overlap_policy TEXT NOT NULL DEFAULT 'skip',
  missed_policy TEXT NOT NULL DEFAULT 'latest',
  missed_window_ms INTEGER NOT NULL DEFAULT 86400000,
  review_policy TEXT NOT NULL DEFAULT 'auto',
  on_interrupt TEXT NOT NULL DEFAULT 'requeue',
  timeout_ms INTEGER NOT NULL DEFAULT 5400000,
  idle_timeout_ms INTEGER NOT NULL DEFAULT 0,
  max_retries INTEGER NOT NULL DEFAULT 0,
  retry_delay_ms INTEGER NOT NULL DEFAULT 60000,
  retry_count INTEGER NOT NULL DEFAULT 0,
  failure_count INTEGER NOT NULL DEFAULT 0,
  pause_after_failures INTEGER NOT NULL DEFAULT 5,
  run_count INTEGER NOT NULL DEFAULT 0,
  max_runs INTEGER,
  max_runs_per_day INTEGER,
  max_tokens_per_day INTEGER,
  max_cost_per_day_micros INTEGER,
  priority INTEGER NOT NULL DEFAULT 0,
  last_status TEXT,
  last_error TEXT,
  status_reason TEXT,
  attention_code TEXT,
  attention_detail TEXT,
  healed_json TEXT,
  notify_json TEXT,
  env_json TEXT,
  tags_json TEXT NOT NULL DEFAULT '[]',
  pinned INTEGER NOT NULL DEFAULT 0,
  source TEXT NOT NULL DEFAULT 'external',
  owner_bot_id TEXT,
  rev INTEGER NOT NULL DEFAULT 1,
  own_writes INTEGER NOT NULL DEFAULT 0,
  unchecked INTEGER NOT NULL DEFAULT 1
);
CREATE INDEX idx_automations_owner ON automations (owner_user_id, owner_status, deleted_at);
CREATE INDEX nextrun_automations_due ON automations (next_run_at)
  WHERE status = 'ACTIVE' AND deleted_at IS NULL AND next_run_at IS NOT NULL;
CREATE INDEX nextrun_automations_unchecked ON automations (unchecked) WHERE unchecked = 1;
CREATE INDEX nextrun_automations_list ON automations (created_at DESC, id) WHERE deleted_at IS NULL;

CREATE TABLE automation_runs (
  thread_id TEXT PRIMARY KEY,
  automation_id TEXT NOT NULL,
  status TEXT NOT NULL,
  read_at INTEGER,
  thread_title TEXT,
  source_cwd TEXT,
  runs_json TEXT,
  result_success INTEGER,
  metadata_json TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  failure_code TEXT,
  reason_code TEXT,
  -- ours
  scheduled_for INTEGER,
  trigger TEXT NOT NULL DEFAULT 'schedule',
  attempt INTEGER NOT NULL DEFAULT 1,
  retry_of TEXT,
  run_key TEXT,
  exclusive INTEGER NOT NULL DEFAULT 1,
  priority INTEGER NOT NULL DEFAULT 0,
  queue_order INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER NOT NULL DEFAULT 0,
  queued_at INTEGER,
  started_at INTEGER,
  finished_at INTEGER,
  duration_ms INTEGER,
  reason_detail TEXT,
  holder TEXT,
  lease_token TEXT,
  lease_expires_at INTEGER,
  heartbeat_at INTEGER,
  pid INTEGER,
  pid_started_at INTEGER,
  session_id TEXT,
  turn_id TEXT,
  kind TEXT,
  executor_label TEXT,
  prompt_snapshot TEXT,
  config_snapshot_json TEXT,
  requested_permission_mode TEXT,
  effective_permission_mode TEXT,
  exit_code INTEGER,
  signal TEXT,
  summary TEXT,
  output_bytes INTEGER NOT NULL DEFAULT 0,
  output_dropped_bytes INTEGER NOT NULL DEFAULT 0,
  change_count INTEGER NOT NULL DEFAULT 0,
  question TEXT,
  reviewed_at INTEGER,
  review_note TEXT,
  snoozed_until INTEGER,
  archived_at INTEGER,
  pinned INTEGER NOT NULL DEFAULT 0,
  source TEXT,
  idempotency_key TEXT
);
CREATE INDEX idx_automation_runs_automation_id ON automation_runs (automation_id);
CREATE INDEX idx_automation_runs_created_at ON automation_runs (created_at);
CREATE UNIQUE INDEX nextrun_runs_one_in_progress ON automation_runs (automation_id)
  WHERE exclusive = 1 AND status = 'IN_PROGRESS';
CREATE UNIQUE INDEX nextrun_runs_one_queued ON automation_runs (automation_id)
  WHERE exclusive = 1 AND status = 'QUEUED';
CREATE UNIQUE INDEX nextrun_runs_slot_attempt ON automation_runs (automation_id, scheduled_for, attempt)
  WHERE scheduled_for IS NOT NULL;
CREATE UNIQUE INDEX nextrun_runs_idempotency ON automation_runs (idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX nextrun_runs_queue ON automation_runs (priority DESC, queue_order, queued_at)
  WHERE status = 'QUEUED';
CREATE INDEX nextrun_runs_active ON automation_runs (started_at) WHERE status = 'IN_PROGRESS';
CREATE INDEX nextrun_runs_open ON automation_runs (automation_id, status)
  WHERE status IN ('QUEUED', 'IN_PROGRESS');
CREATE INDEX nextrun_runs_failed_key ON automation_runs (run_key) WHERE status = 'FAILED';
CREATE INDEX nextrun_runs_page ON automation_runs (created_at DESC, thread_id DESC);
CREATE INDEX nextrun_runs_page_automation ON automation_runs (automation_id, created_at DESC, thread_id DESC);
CREATE INDEX nextrun_runs_page_status ON automation_runs (status, created_at DESC, thread_id DESC);

CREATE TABLE automation_runtime_state (
  automation_id TEXT PRIMARY KEY,
  last_run_at INTEGER,
  last_error TEXT,
  running INTEGER NOT NULL DEFAULT 0,
  running_started_at INTEGER,
  running_conversation_id TEXT,
  metadata_json TEXT
);

CREATE TABLE automation_delivery_outbox (
  id TEXT PRIMARY KEY,
  dedupe_key TEXT NOT NULL,
  channel TEXT NOT NULL DEFAULT 'wechatmp',
  automation_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  automation_name TEXT NOT NULL,
  owner_user_id TEXT,
  host_id TEXT,
  payload_json TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt_count INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL DEFAULT 5,
  next_run_at INTEGER NOT NULL,
  lease_owner TEXT,
  lease_expire_at INTEGER,
  last_error_code TEXT,
  last_error_message TEXT,
  delivery_id TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  finished_at INTEGER
);
CREATE UNIQUE INDEX idx_outbox_dedupe ON automation_delivery_outbox (dedupe_key);
CREATE INDEX idx_outbox_status ON automation_delivery_outbox (status, next_run_at);
CREATE INDEX idx_outbox_channel ON automation_delivery_outbox (channel, status, next_run_at);
CREATE INDEX idx_outbox_run ON automation_delivery_outbox (automation_id, run_id);
CREATE INDEX idx_outbox_owner ON automation_delivery_outbox (owner_user_id, status);
CREATE INDEX idx_outbox_supersede
  ON automation_delivery_outbox (automation_id, channel, owner_user_id, host_id, created_at);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  cwd TEXT NOT NULL,
  user_id TEXT NOT NULL,
  title TEXT,
  custom_title TEXT,
  status TEXT NOT NULL DEFAULT 'Pending',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  last_activity_at INTEGER,
  deleted_at INTEGER,
  is_playground INTEGER NOT NULL DEFAULT 0,
  source_mode TEXT,
  is_background_automation INTEGER,
  mode TEXT,
  model TEXT,
  expert_id TEXT,
  expert_locale TEXT,
  expert_runtime_identity TEXT,
  expert_marketplace TEXT,
  permission_mode TEXT,
  use_sandbox_cli INTEGER,
  project_id TEXT,
  plugin_context_json TEXT,
  addon_selection TEXT,
  session_settings TEXT,
  last_user_prompt_expert_selection TEXT,
  context_window INTEGER,
  buddy_snapshot_id TEXT,
  buddy_binding_json TEXT,
  thought_level TEXT,
  transport TEXT NOT NULL DEFAULT 'local',
  conversation_origin TEXT,
  visibility TEXT,
  group_id TEXT,
  group_title TEXT,
  agent_dirty INTEGER,
  agent_dirty_at INTEGER,
  agent_last_synced INTEGER,
  verified_at INTEGER,
  unread INTEGER NOT NULL DEFAULT 0,
  -- ours
  control TEXT NOT NULL DEFAULT 'AGENT',
  control_since INTEGER,
  external_session_id TEXT,
  automation_id TEXT
);
CREATE INDEX idx_sessions_buddy_snapshot_id ON sessions (buddy_snapshot_id);
CREATE INDEX idx_sessions_cloud_sort ON sessions (user_id, last_activity_at, created_at)
  WHERE transport = 'cloud' AND deleted_at = -1;
CREATE INDEX idx_sessions_cloud_group ON sessions (user_id, conversation_origin, group_id)
  WHERE transport = 'cloud' AND deleted_at = -1;
CREATE INDEX idx_sessions_cloud_project ON sessions (user_id, project_id, last_activity_at)
  WHERE transport = 'cloud' AND deleted_at = -1;
CREATE INDEX idx_sessions_cloud_verified ON sessions (user_id, verified_at) WHERE transport = 'cloud';
CREATE INDEX nextrun_sessions_list ON sessions (created_at DESC, id);

CREATE TABLE session_usage (
  session_id TEXT PRIMARY KEY,
  used INTEGER NOT NULL,
  size INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  credit_json TEXT
);
CREATE TABLE workspaces (
  path TEXT PRIMARY KEY,
  last_opened_at INTEGER NOT NULL
);

CREATE TABLE conversation_turns (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  run_id TEXT,
  seq INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  model TEXT,
  provider TEXT,
  input_tokens INTEGER,
  output_tokens INTEGER,
  cached_input_tokens INTEGER,
  reasoning_tokens INTEGER,
  cost_micros INTEGER,
  currency TEXT,
  usage_source TEXT,
  stop_reason TEXT,
  UNIQUE (session_id, seq)
);
CREATE INDEX nextrun_turns_run ON conversation_turns (run_id);

CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
  content_json TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX nextrun_messages_session ON messages (session_id, created_at);

CREATE TABLE run_output (
  run_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  stream TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run_id, seq)
) WITHOUT ROWID;

CREATE TABLE run_artifacts (
  run_id TEXT NOT NULL,
  path TEXT NOT NULL,
  change TEXT NOT NULL CHECK (change IN ('created', 'changed', 'deleted')),
  bytes_before INTEGER,
  bytes_after INTEGER,
  PRIMARY KEY (run_id, path)
) WITHOUT ROWID;

CREATE TABLE slots (
  automation_id TEXT NOT NULL,
  scheduled_for INTEGER NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('ran', 'missed', 'skipped_overlap', 'skipped_human', 'coalesced',
    'deferred', 'dropped_by_edit', 'blocked')),
  run_id TEXT,
  reason_code TEXT,
  fire_at INTEGER,
  through INTEGER,
  count INTEGER NOT NULL DEFAULT 1,
  recorded_at INTEGER NOT NULL,
  PRIMARY KEY (automation_id, scheduled_for)
) WITHOUT ROWID;
CREATE INDEX nextrun_slots_recorded ON slots (recorded_at);

CREATE TABLE task_items (
  id TEXT PRIMARY KEY,
  task_type TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  entity_title TEXT,
  status INTEGER NOT NULL DEFAULT 0 CHECK (status BETWEEN 0 AND 3),
  error_message TEXT,
  metadata TEXT,
  started_at INTEGER,
  completed_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  is_deleted INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX nextrun_task_items_active ON task_items (task_type, entity_id)
  WHERE status IN (0, 1) AND is_deleted = 0;
CREATE INDEX nextrun_task_items_type ON task_items (task_type, status, is_deleted);

CREATE TABLE engine_lease (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  holder TEXT NOT NULL,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  port INTEGER,
  acquired_at INTEGER NOT NULL,
  heartbeat_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
);

CREATE TABLE settings (key TEXT PRIMARY KEY, value_json TEXT NOT NULL, updated_at INTEGER NOT NULL);

CREATE TABLE idempotency (
  token TEXT NOT NULL,
  key TEXT NOT NULL,
  route TEXT NOT NULL,
  body_hash TEXT NOT NULL,
  status INTEGER NOT NULL,
  response_json TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (token, key)
) WITHOUT ROWID;

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL CHECK (scope IN ('run', 'read', 'admin')),
  label TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at INTEGER
);

CREATE TABLE review_events (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL,
  verdict TEXT NOT NULL,
  note TEXT,
  door TEXT,
  at INTEGER NOT NULL
);
CREATE INDEX nextrun_review_events_run ON review_events (run_id);

CREATE TABLE prompt_versions (
  automation_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  prompt TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  source TEXT,
  PRIMARY KEY (automation_id, version)
) WITHOUT ROWID;

CREATE TABLE saved_views (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  screen TEXT NOT NULL,
  query_json TEXT NOT NULL,
  created_at INTEGER NOT NULL
);

CREATE TABLE foreign_edits (
  id INTEGER PRIMARY KEY,
  automation_id TEXT NOT NULL,
  field TEXT NOT NULL,
  old_value,
  new_value,
  at INTEGER NOT NULL
);
CREATE INDEX nextrun_foreign_edits_automation ON foreign_edits (automation_id);

CREATE TABLE audit_log (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  route TEXT NOT NULL,
  target TEXT,
  outcome TEXT NOT NULL
);

CREATE TABLE change_log (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  table_name TEXT NOT NULL,
  row_id TEXT NOT NULL,
  op TEXT NOT NULL,
  at INTEGER NOT NULL
);

-- Triggers are plain SQL that SQLite 3.8 knows: a foreign program fires them with its own, maybe old, SQLite.
CREATE TRIGGER nextrun_automations_inserted AFTER INSERT ON automations BEGIN
  INSERT INTO change_log (table_name, row_id, op, at)
  VALUES ('automations', NEW.id, 'insert', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
CREATE TRIGGER nextrun_automations_updated AFTER UPDATE ON automations BEGIN
  INSERT INTO change_log (table_name, row_id, op, at)
  VALUES ('automations', NEW.id, 'update', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
CREATE TRIGGER nextrun_automations_deleted AFTER DELETE ON automations BEGIN
  INSERT INTO change_log (table_name, row_id, op, at)
  VALUES ('automations', OLD.id, 'delete', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
-- Every UPDATE by NextRun raises own_writes; one that does not comes from another program.
CREATE TRIGGER nextrun_automations_foreign_edit
AFTER UPDATE OF name, prompt, status, schedule_type, next_run_at, cwds, rrule, scheduled_at, valid_from,
  valid_until, model_id, skills_json, permission_mode, deleted_at ON automations
WHEN NEW.own_writes = OLD.own_writes
BEGIN
  UPDATE automations SET rev = rev + 1, unchecked = 1, own_writes = own_writes + 1 WHERE id = NEW.id;
  INSERT INTO foreign_edits (automation_id, field, old_value, new_value, at)
    SELECT NEW.id, 'name', OLD.name, NEW.name, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.name IS NOT NEW.name
    UNION ALL
    SELECT NEW.id, 'prompt', OLD.prompt, NEW.prompt, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.prompt IS NOT NEW.prompt
    UNION ALL
    SELECT NEW.id, 'status', OLD.status, NEW.status, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.status IS NOT NEW.status
    UNION ALL
    SELECT NEW.id, 'schedule_type', OLD.schedule_type, NEW.schedule_type, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.schedule_type IS NOT NEW.schedule_type
    UNION ALL
    SELECT NEW.id, 'next_run_at', OLD.next_run_at, NEW.next_run_at, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.next_run_at IS NOT NEW.next_run_at
    UNION ALL
    SELECT NEW.id, 'cwds', OLD.cwds, NEW.cwds, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.cwds IS NOT NEW.cwds
    UNION ALL
    SELECT NEW.id, 'rrule', OLD.rrule, NEW.rrule, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.rrule IS NOT NEW.rrule
    UNION ALL
    SELECT NEW.id, 'scheduled_at', OLD.scheduled_at, NEW.scheduled_at, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.scheduled_at IS NOT NEW.scheduled_at
    UNION ALL
    SELECT NEW.id, 'valid_from', OLD.valid_from, NEW.valid_from, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.valid_from IS NOT NEW.valid_from
    UNION ALL
    SELECT NEW.id, 'valid_until', OLD.valid_until, NEW.valid_until, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.valid_until IS NOT NEW.valid_until
    UNION ALL
    SELECT NEW.id, 'model_id', OLD.model_id, NEW.model_id, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.model_id IS NOT NEW.model_id
    UNION ALL
    SELECT NEW.id, 'skills_json', OLD.skills_json, NEW.skills_json, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.skills_json IS NOT NEW.skills_json
    UNION ALL
    SELECT NEW.id, 'permission_mode', OLD.permission_mode, NEW.permission_mode, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.permission_mode IS NOT NEW.permission_mode
    UNION ALL
    SELECT NEW.id, 'deleted_at', OLD.deleted_at, NEW.deleted_at, CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)
      WHERE OLD.deleted_at IS NOT NEW.deleted_at;
END;
CREATE TRIGGER nextrun_runs_inserted AFTER INSERT ON automation_runs BEGIN
  INSERT INTO change_log (table_name, row_id, op, at)
  VALUES ('automation_runs', NEW.thread_id, 'insert', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
CREATE TRIGGER nextrun_runs_updated AFTER UPDATE ON automation_runs BEGIN
  INSERT INTO change_log (table_name, row_id, op, at)
  VALUES ('automation_runs', NEW.thread_id, 'update', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
CREATE TRIGGER nextrun_runs_deleted AFTER DELETE ON automation_runs BEGIN
  INSERT INTO change_log (table_name, row_id, op, at)
  VALUES ('automation_runs', OLD.thread_id, 'delete', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
CREATE TRIGGER nextrun_sessions_inserted AFTER INSERT ON sessions BEGIN
  INSERT INTO change_log (table_name, row_id, op, at)
  VALUES ('sessions', NEW.id, 'insert', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
CREATE TRIGGER nextrun_sessions_updated AFTER UPDATE ON sessions BEGIN
  INSERT INTO change_log (table_name, row_id, op, at)
  VALUES ('sessions', NEW.id, 'update', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
CREATE TRIGGER nextrun_settings_written AFTER INSERT ON settings BEGIN
  INSERT INTO change_log (table_name, row_id, op, at)
  VALUES ('settings', NEW.key, 'insert', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
CREATE TRIGGER nextrun_settings_updated AFTER UPDATE ON settings BEGIN
  INSERT INTO change_log (table_name, row_id, op, at)
  VALUES ('settings', NEW.key, 'update', CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER));
END;
