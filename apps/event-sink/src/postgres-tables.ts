/**
 * Salt's tables of its returner `pgjsonb`, with two columns more: `event_id`, whose uniqueness makes each event one row, and the
 * proved `origin`. Whoever writes to them otherwise, such as Salt itself, leaves these empty.
 */

/** True when all that is written to is there; then no right to change tables is needed. */
export const READY = `
SELECT count(*) = 3 AS ready FROM pg_attribute WHERE NOT attisdropped AND (
  (attrelid = to_regclass('salt_events') AND attname = 'event_id')
  OR (attrelid = to_regclass('salt_returns') AND attname = 'event_id')
  OR (attrelid = to_regclass('jids') AND attname = 'load'))`;

/** Makes what is missing, or adds it to the tables of a Salt master; what is there stays. */
export const TABLES = `
CREATE TABLE IF NOT EXISTS jids (
  jid varchar(255) NOT NULL PRIMARY KEY,
  load jsonb NOT NULL);
CREATE INDEX IF NOT EXISTS idx_jids_jsonb ON jids USING gin (load) WITH (fastupdate=on);

CREATE TABLE IF NOT EXISTS salt_returns (
  fun varchar(50) NOT NULL,
  jid varchar(255) NOT NULL,
  return jsonb NOT NULL,
  id varchar(255) NOT NULL,
  success varchar(10) NOT NULL,
  full_ret jsonb NOT NULL,
  alter_time TIMESTAMP WITH TIME ZONE DEFAULT NOW());
ALTER TABLE salt_returns ADD COLUMN IF NOT EXISTS event_id varchar(128) UNIQUE;
CREATE INDEX IF NOT EXISTS idx_salt_returns_id ON salt_returns (id);
CREATE INDEX IF NOT EXISTS idx_salt_returns_jid ON salt_returns (jid);
CREATE INDEX IF NOT EXISTS idx_salt_returns_fun ON salt_returns (fun);
CREATE INDEX IF NOT EXISTS idx_salt_returns_return ON salt_returns USING gin (return) WITH (fastupdate=on);
CREATE INDEX IF NOT EXISTS idx_salt_returns_full_ret ON salt_returns USING gin (full_ret) WITH (fastupdate=on);

CREATE SEQUENCE IF NOT EXISTS seq_salt_events_id;
CREATE TABLE IF NOT EXISTS salt_events (
  id BIGINT NOT NULL UNIQUE DEFAULT nextval('seq_salt_events_id'),
  tag varchar(255) NOT NULL,
  data jsonb NOT NULL,
  alter_time TIMESTAMP WITH TIME ZONE DEFAULT NOW(),
  master_id varchar(255) NOT NULL);
ALTER TABLE salt_events ADD COLUMN IF NOT EXISTS event_id varchar(128) UNIQUE;
ALTER TABLE salt_events ADD COLUMN IF NOT EXISTS origin jsonb;
CREATE INDEX IF NOT EXISTS idx_salt_events_tag ON salt_events (tag);
CREATE INDEX IF NOT EXISTS idx_salt_events_data ON salt_events USING gin (data) WITH (fastupdate=on);`;

/** What is longer than Salt's column is cut; `data` and `full_ret` have all of it. */
export const INSERT_EVENTS = `
INSERT INTO salt_events (tag, data, alter_time, master_id, event_id, origin)
SELECT left(tag, 255), coalesce(data, 'null'), stamp, $2, id, origin
FROM jsonb_to_recordset($1::jsonb) AS e (tag text, data jsonb, stamp timestamptz, id text, origin jsonb)
ON CONFLICT (event_id) DO NOTHING`;

export const INSERT_RETURNS = `
INSERT INTO salt_returns (fun, jid, return, id, success, full_ret, alter_time, event_id)
SELECT left(fun, 50), jid, coalesce(return, 'null'), minion, success, full_ret, stamp, id
FROM jsonb_to_recordset($1::jsonb) AS r
  (fun text, jid text, return jsonb, minion text, success text, full_ret jsonb, stamp timestamptz, id text)
ON CONFLICT (event_id) DO NOTHING`;

export const INSERT_JIDS = `
INSERT INTO jids (jid, load)
SELECT jid, load FROM jsonb_to_recordset($1::jsonb) AS j (jid text, load jsonb)
ON CONFLICT (jid) DO NOTHING`;
