/** Tables of the embedded store. `user_version` counts schema changes. */

export const SCHEMA_VERSION = 1;

export const SCHEMA = `
CREATE TABLE sessions (
  key TEXT PRIMARY KEY,
  epoch INTEGER NOT NULL,
  overrides TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  active TEXT,
  owner TEXT,
  lease_until INTEGER,
  waiting_since INTEGER
) STRICT;
CREATE INDEX sessions_used ON sessions (used_at);
CREATE INDEX sessions_waiting ON sessions (waiting_since) WHERE waiting_since IS NOT NULL;

-- seq orders the queue; body is the whole run as JSON except for status and attempt.
CREATE TABLE runs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  chat TEXT NOT NULL,
  id TEXT NOT NULL,
  session TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  body TEXT NOT NULL,
  edited_at INTEGER,
  ended_at INTEGER,
  UNIQUE (chat, id)
) STRICT;
CREATE INDEX runs_session ON runs (session, status, seq);
CREATE INDEX runs_open ON runs (status) WHERE status IN ('running', 'waiting');
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE seen (chat TEXT NOT NULL, id TEXT NOT NULL, expires_at INTEGER NOT NULL,
  PRIMARY KEY (chat, id)) STRICT, WITHOUT ROWID;
CREATE INDEX seen_expires ON seen (expires_at);

CREATE TABLE refs (chat TEXT NOT NULL, id TEXT NOT NULL, session TEXT NOT NULL, expires_at INTEGER NOT NULL,
  PRIMARY KEY (chat, id)) STRICT, WITHOUT ROWID;
CREATE INDEX refs_expires ON refs (expires_at);

CREATE TABLE steers (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  chat TEXT NOT NULL,
  run TEXT NOT NULL,
  id TEXT NOT NULL,
  body TEXT NOT NULL
) STRICT;
CREATE INDEX steers_run ON steers (chat, run);

CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE audits (seq INTEGER PRIMARY KEY AUTOINCREMENT, entry TEXT NOT NULL) STRICT;

CREATE TABLE items (key TEXT PRIMARY KEY, value TEXT NOT NULL, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX items_expires ON items (expires_at);
CREATE TABLE paces (key TEXT PRIMARY KEY, tat REAL NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
  thread TEXT NOT NULL,
  ns TEXT NOT NULL,
  id TEXT NOT NULL,
  parent TEXT,
  body BLOB NOT NULL,
  metadata BLOB NOT NULL,
  -- JSON: channel name -> id of the checkpoint that wrote its value.
  refs TEXT NOT NULL,
  -- JSON: names of channels that are rebuilt from earlier writes.
  delta TEXT NOT NULL,
  PRIMARY KEY (thread, ns, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoint_values (
  thread TEXT NOT NULL,
  ns TEXT NOT NULL,
  channel TEXT NOT NULL,
  writer TEXT NOT NULL,
  type TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (thread, ns, writer, channel)
) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoint_writes (
  thread TEXT NOT NULL,
  ns TEXT NOT NULL,
  checkpoint TEXT NOT NULL,
  task TEXT NOT NULL,
  idx INTEGER NOT NULL,
  path TEXT NOT NULL,
  channel TEXT NOT NULL,
  type TEXT NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (thread, ns, checkpoint, task, idx)
) STRICT, WITHOUT ROWID;
CREATE TABLE threads (thread TEXT PRIMARY KEY, used_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
`;
