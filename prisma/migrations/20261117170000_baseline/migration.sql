-- The schema of 0.1.0. Prisma's own part comes from prisma/*.prisma; partial indexes, functions and triggers are only here.

-- Search

-- The words of a text for searching, each led by a short hash of the store: a plain GIN index then finds words by their beginning inside one store
-- only, and needs no extension. The bodies are single expressions, so that PostgreSQL inlines them into the index (twice as fast), and are bound when they
-- are created, because indexes are built without a search path.
CREATE FUNCTION product_words(pid text, content text) RETURNS text[]
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN string_to_array(ltrim(regexp_replace((' '::text || lower(content)), '[\s!-/:-@\[-`{-~]+'::text, (' '::text || "left"(md5(pid), 8)), 'g'::text)), ' '::text);

CREATE FUNCTION product_search(pid text, dt text, bt text, sku text, epi text, empi text) RETURNS tsvector
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN array_to_tsvector(product_words(pid, ((((((((COALESCE(dt, ''::text) || ' '::text) || COALESCE(bt, ''::text)) || ' '::text) || COALESCE(sku, ''::text)) || ' '::text) || epi) || ' '::text) || empi)));

CREATE FUNCTION shopper_search(pid text, em text, fname text, lname text) RETURNS tsvector
  LANGUAGE sql IMMUTABLE PARALLEL SAFE
  RETURN array_to_tsvector(product_words(pid, ((((fname || ' '::text) || lname) || ' '::text) || COALESCE(split_part(em, '@'::text, 1), ''::text))));

-- Tables

CREATE TABLE store (
  pid text NOT NULL,
  name text NOT NULL,
  secret bytea NOT NULL,
  list_types text[] DEFAULT ARRAY[]::text[],
  custom_items boolean DEFAULT false NOT NULL,
  inventory_managed boolean DEFAULT true NOT NULL,
  allowed_origins text[] DEFAULT ARRAY[]::text[],
  share_url text,
  double_opt_in boolean DEFAULT false NOT NULL,
  merged_sessions boolean DEFAULT true NOT NULL,
  rate_limits jsonb DEFAULT '{}'::jsonb NOT NULL,
  maintenance boolean DEFAULT false NOT NULL,
  is_demo boolean DEFAULT false NOT NULL,
  session_epoch integer DEFAULT 0 NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  default_region text,
  restore_days integer DEFAULT 30 NOT NULL,
  attribution_days integer DEFAULT 7 NOT NULL,
  measure_alerts boolean DEFAULT true NOT NULL,
  pacing jsonb DEFAULT '{}'::jsonb NOT NULL,
  colour text,
  currency text,
  locale text DEFAULT 'en'::text NOT NULL,
  logo_url text,
  sender_address text,
  sender_name text,
  link_no serial,
  token_keys jsonb DEFAULT '[]'::jsonb NOT NULL,
  CONSTRAINT store_pkey PRIMARY KEY (pid)
);
CREATE UNIQUE INDEX store_link_no_key ON store (link_no);

CREATE TABLE store_key (
  pid text NOT NULL,
  id text NOT NULL,
  hash bytea NOT NULL,
  hint text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  name text DEFAULT ''::text NOT NULL,
  CONSTRAINT store_key_pkey PRIMARY KEY (pid, id),
  CONSTRAINT store_key_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE store_session (
  pid text NOT NULL,
  hash bytea NOT NULL,
  key_id text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT store_session_pkey PRIMARY KEY (pid, hash),
  CONSTRAINT store_session_pid_key_id_fkey FOREIGN KEY (pid, key_id) REFERENCES store_key(pid, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX store_session_expires_at_idx ON store_session (expires_at);
CREATE INDEX store_session_pid_key_id_idx ON store_session (pid, key_id);

CREATE TABLE operator_key (
  id text NOT NULL,
  hash bytea NOT NULL,
  name text DEFAULT ''::text NOT NULL,
  hint text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  CONSTRAINT operator_key_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX operator_key_hash_key ON operator_key (hash);

CREATE TABLE operator_session (
  hash bytea NOT NULL,
  key_id text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT operator_session_pkey PRIMARY KEY (hash),
  CONSTRAINT operator_session_key_id_fkey FOREIGN KEY (key_id) REFERENCES operator_key(id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX operator_session_expires_at_idx ON operator_session (expires_at);
CREATE INDEX operator_session_key_id_idx ON operator_session (key_id);

CREATE TABLE audit_entry (
  pid text NOT NULL,
  id text NOT NULL,
  at timestamptz(3) NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  key_id text NOT NULL,
  detail jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT audit_entry_pkey PRIMARY KEY (pid, id)
);
CREATE INDEX audit_entry_pid_at_idx ON audit_entry (pid, at DESC);

CREATE TABLE service_state (
  id integer DEFAULT 1 NOT NULL,
  maintenance boolean DEFAULT false NOT NULL,
  updated_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  secret bytea DEFAULT sha256((concat(gen_random_uuid(), gen_random_uuid()))::bytea) NOT NULL,
  CONSTRAINT service_state_pkey PRIMARY KEY (id)
);

CREATE TABLE mail_server (
  pid text NOT NULL,
  host text NOT NULL,
  port integer NOT NULL,
  security text NOT NULL,
  login text NOT NULL,
  password text NOT NULL,
  version text NOT NULL,
  problem text,
  problem_at timestamptz(3),
  sent_at timestamptz(3),
  cts timestamptz(3) NOT NULL,
  uts timestamptz(3) NOT NULL,
  CONSTRAINT mail_server_pkey PRIMARY KEY (pid),
  CONSTRAINT mail_server_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE webhook (
  pid text NOT NULL,
  id text NOT NULL,
  url text NOT NULL,
  events text[],
  secret text NOT NULL,
  cts timestamptz(3) NOT NULL,
  uts timestamptz(3) NOT NULL,
  CONSTRAINT webhook_pkey PRIMARY KEY (pid, id),
  CONSTRAINT webhook_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE webhook_try (
  pid text NOT NULL,
  webhook_id text NOT NULL,
  seq bigserial,
  delivery_id text NOT NULL,
  at timestamptz(3) NOT NULL,
  took_ms integer NOT NULL,
  status integer,
  error text,
  CONSTRAINT webhook_try_pkey PRIMARY KEY (pid, webhook_id, seq),
  CONSTRAINT webhook_try_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX webhook_try_at_idx ON webhook_try (at);
CREATE INDEX webhook_try_pid_delivery_id_idx ON webhook_try (pid, delivery_id);

CREATE TABLE shopper (
  pid text NOT NULL,
  regid text NOT NULL,
  is_guest boolean NOT NULL,
  merged_into text,
  uid text NOT NULL,
  di text NOT NULL,
  em text,
  fname text DEFAULT ''::text NOT NULL,
  lname text DEFAULT ''::text NOT NULL,
  m text,
  lastlogin timestamptz(3) NOT NULL,
  sw_mkt text,
  ut text,
  acc_mkt boolean DEFAULT false NOT NULL,
  extags text[] DEFAULT ARRAY[]::text[],
  prefs jsonb DEFAULT '{}'::jsonb NOT NULL,
  pd jsonb DEFAULT '{}'::jsonb NOT NULL,
  epoch integer DEFAULT 0 NOT NULL,
  cts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  uts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT shopper_pkey PRIMARY KEY (pid, regid),
  CONSTRAINT shopper_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

-- Accounts by the beginning of their address.
CREATE INDEX shopper_address_idx ON shopper (pid, em text_pattern_ops) WHERE (em IS NOT NULL);

-- Guests and accounts, newest first. Neither ever moves in it, so that seeing a shopper again writes no index.
CREATE INDEX shopper_browse_idx ON shopper (pid, is_guest, cts DESC, uid DESC) WHERE (merged_into IS NULL);
CREATE UNIQUE INDEX shopper_pid_em_key ON shopper (pid, em);
CREATE UNIQUE INDEX shopper_pid_uid_key ON shopper (pid, uid);

-- Shoppers without a name and an address take no space in it.
CREATE INDEX shopper_search_idx ON shopper USING gin (shopper_search(pid, em, fname, lname)) WHERE ((em IS NOT NULL) OR (fname <> ''::text) OR (lname <> ''::text));

CREATE TABLE guest_link (
  pid text NOT NULL,
  account_regid text NOT NULL,
  guest_regid text NOT NULL,
  guest_epoch text NOT NULL,
  account_epoch text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  mark text NOT NULL,
  CONSTRAINT guest_link_pkey PRIMARY KEY (pid, account_regid, guest_regid, guest_epoch),
  CONSTRAINT guest_link_pid_account_regid_fkey FOREIGN KEY (pid, account_regid) REFERENCES shopper(pid, regid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX guest_link_pid_guest_regid_idx ON guest_link (pid, guest_regid);
CREATE INDEX guest_link_pid_mark_idx ON guest_link (pid, mark);

CREATE TABLE list (
  pid text NOT NULL,
  lid text NOT NULL,
  regid text NOT NULL,
  lname text NOT NULL,
  lty text,
  sfl_owner text,
  lnote text,
  lprops jsonb DEFAULT '{}'::jsonb NOT NULL,
  cprops jsonb DEFAULT '{}'::jsonb NOT NULL,
  ldesc jsonb DEFAULT '{}'::jsonb NOT NULL,
  anon_read boolean DEFAULT false NOT NULL,
  cnt integer DEFAULT 0 NOT NULL,
  itemcmnts integer DEFAULT 0 NOT NULL,
  copying boolean DEFAULT false NOT NULL,
  cby text,
  uby text,
  cfor text,
  st smallint DEFAULT 1 NOT NULL,
  di text NOT NULL,
  uid text NOT NULL,
  version integer DEFAULT 1 NOT NULL,
  shares integer DEFAULT 0 NOT NULL,
  seq bigserial,
  cts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  uts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  bytes bigint DEFAULT 0 NOT NULL,
  CONSTRAINT list_pkey PRIMARY KEY (pid, lid),
  CONSTRAINT list_pid_regid_fkey FOREIGN KEY (pid, regid) REFERENCES shopper(pid, regid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX list_pid_regid_seq_idx ON list (pid, regid, seq DESC);
CREATE UNIQUE INDEX list_pid_sfl_owner_key ON list (pid, sfl_owner);

-- A link to a public list names the list alone; private lists cost nothing here.
CREATE INDEX list_public_idx ON list (lid) WHERE anon_read;

CREATE TABLE list_alias (
  pid text NOT NULL,
  alias text NOT NULL,
  lid text NOT NULL,
  CONSTRAINT list_alias_pkey PRIMARY KEY (pid, alias),
  CONSTRAINT list_alias_pid_lid_fkey FOREIGN KEY (pid, lid) REFERENCES list(pid, lid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX list_alias_alias_idx ON list_alias (alias);
CREATE INDEX list_alias_pid_lid_idx ON list_alias (pid, lid);

CREATE TABLE list_copy (
  pid text NOT NULL,
  lid text NOT NULL,
  portion integer NOT NULL,
  items jsonb NOT NULL,
  bytes bigint DEFAULT 0 NOT NULL,
  CONSTRAINT list_copy_pkey PRIMARY KEY (pid, lid, portion),
  CONSTRAINT list_copy_pid_lid_fkey FOREIGN KEY (pid, lid) REFERENCES list(pid, lid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE item (
  pid text NOT NULL,
  lid text NOT NULL,
  epi text NOT NULL,
  id text NOT NULL,
  empi text NOT NULL,
  du text NOT NULL,
  uri text,
  qty integer DEFAULT 1 NOT NULL,
  note text,
  cprops jsonb DEFAULT '{}'::jsonb NOT NULL,
  lbls text[] DEFAULT ARRAY[]::text[],
  av boolean DEFAULT false NOT NULL,
  lity text,
  bt text,
  dt text,
  sku text,
  iu text,
  pr double precision,
  vi text,
  compare_at_price double precision,
  platformitemid text,
  bundle jsonb DEFAULT '[]'::jsonb NOT NULL,
  di text NOT NULL,
  uby text,
  seq bigserial,
  cts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  uts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT item_pkey PRIMARY KEY (pid, lid, epi),
  CONSTRAINT item_pid_lid_fkey FOREIGN KEY (pid, lid) REFERENCES list(pid, lid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX item_pid_empi_idx ON item (pid, empi);
CREATE INDEX item_pid_epi_seq_idx ON item (pid, epi, seq);
CREATE UNIQUE INDEX item_pid_id_key ON item (pid, id);
CREATE INDEX item_pid_lid_seq_idx ON item (pid, lid, seq DESC);

CREATE TABLE shopper_revision (
  pid text NOT NULL,
  regid text NOT NULL,
  rev bigint DEFAULT 0 NOT NULL,
  changed jsonb DEFAULT '{}'::jsonb NOT NULL,
  floor bigint,
  CONSTRAINT shopper_revision_pkey PRIMARY KEY (pid, regid)
) WITH (fillfactor='70');

CREATE TABLE deleted_list (
  pid text NOT NULL,
  lid text NOT NULL,
  regid text NOT NULL,
  was jsonb NOT NULL,
  seq bigserial,
  deleted_at timestamptz(3) NOT NULL,
  aliases text[] DEFAULT ARRAY[]::text[],
  CONSTRAINT deleted_list_pkey PRIMARY KEY (pid, lid),
  CONSTRAINT deleted_list_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX deleted_list_pid_deleted_at_idx ON deleted_list (pid, deleted_at);
CREATE INDEX deleted_list_pid_regid_seq_idx ON deleted_list (pid, regid, seq DESC);

CREATE TABLE deleted_item (
  pid text NOT NULL,
  lid text NOT NULL,
  epi text NOT NULL,
  regid text,
  was jsonb NOT NULL,
  seq bigserial,
  deleted_at timestamptz(3) NOT NULL,
  CONSTRAINT deleted_item_pkey PRIMARY KEY (pid, lid, epi),
  CONSTRAINT deleted_item_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

-- Items that were deleted alone are listed, counted and forgotten by these; those that went with their list are found by it.
CREATE INDEX deleted_item_alone_idx ON deleted_item (pid, regid, seq DESC) WHERE (regid IS NOT NULL);
CREATE INDEX deleted_item_over_idx ON deleted_item (pid, deleted_at) WHERE (regid IS NOT NULL);

CREATE TABLE idempotent_write (
  pid text NOT NULL,
  id bytea NOT NULL,
  body bytea NOT NULL,
  token text NOT NULL,
  lease_until timestamptz(3) NOT NULL,
  answer bytea,
  cts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  regid text,
  CONSTRAINT idempotent_write_pkey PRIMARY KEY (pid, id)
);
CREATE INDEX idempotent_write_cts_idx ON idempotent_write (cts);
CREATE INDEX idempotent_write_pid_regid_idx ON idempotent_write (pid, regid);

CREATE TABLE idempotency_usage (
  pid text NOT NULL,
  caller bytea NOT NULL,
  bytes integer NOT NULL,
  started_at timestamptz(3) NOT NULL,
  CONSTRAINT idempotency_usage_pkey PRIMARY KEY (pid, caller)
);
CREATE INDEX idempotency_usage_started_at_idx ON idempotency_usage (started_at);

CREATE TABLE product (
  pid text NOT NULL,
  epi text NOT NULL,
  empi text NOT NULL,
  bt text,
  dt text,
  sku text,
  du text NOT NULL,
  uri text,
  iu text,
  stk integer,
  pr double precision,
  vi text,
  tags text[] DEFAULT ARRAY[]::text[],
  seq bigserial,
  cts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  uts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  before_stk integer,
  inventory_item text,
  rev integer DEFAULT 1 NOT NULL,
  source_at timestamptz(3),
  before_tags text[] DEFAULT ARRAY[]::text[],
  is_untracked boolean DEFAULT false NOT NULL,
  before_pr double precision,
  CONSTRAINT product_pkey PRIMARY KEY (pid, epi),
  CONSTRAINT product_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX product_pid_empi_idx ON product (pid, empi);
CREATE INDEX product_pid_inventory_item_idx ON product (pid, inventory_item);
CREATE INDEX product_pid_seq_idx ON product (pid, seq);
CREATE INDEX product_search_idx ON product USING gin (product_search(pid, dt, bt, sku, epi, empi));

-- Rows of revisions are updated again and again: free space on their page keeps the new versions there.
CREATE TABLE catalog_revision (
  pid text NOT NULL,
  slice smallint NOT NULL,
  rev bigint DEFAULT 0 NOT NULL,
  CONSTRAINT catalog_revision_pkey PRIMARY KEY (pid, slice)
) WITH (fillfactor='50');

-- No row outlives its transaction.
CREATE UNLOGGED TABLE catalog_change (
  pid text NOT NULL,
  id bigserial,
  slices smallint[] DEFAULT ARRAY[]::smallint[],
  CONSTRAINT catalog_change_pkey PRIMARY KEY (pid, id)
);

CREATE TABLE removed_product (
  pid text NOT NULL,
  epi text NOT NULL,
  stk integer,
  tags text[] DEFAULT ARRAY[]::text[],
  seq bigint NOT NULL,
  at timestamptz(3) NOT NULL,
  pr double precision,
  CONSTRAINT removed_product_pkey PRIMARY KEY (pid, epi),
  CONSTRAINT removed_product_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX removed_product_at_idx ON removed_product (at);

CREATE TABLE stock_change (
  pid text NOT NULL,
  epi text NOT NULL,
  seq bigserial,
  at timestamptz(3) NOT NULL,
  before integer,
  after integer,
  CONSTRAINT stock_change_pkey PRIMARY KEY (pid, epi, seq)
);
CREATE INDEX stock_change_at_idx ON stock_change (at);

CREATE TABLE price_mark (
  pid text NOT NULL,
  epi text NOT NULL,
  topic text NOT NULL,
  pr double precision NOT NULL,
  CONSTRAINT price_mark_pkey PRIMARY KEY (pid, epi, topic),
  CONSTRAINT price_mark_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE import_run (
  pid text NOT NULL,
  source text NOT NULL,
  "offset" bigint NOT NULL,
  line integer NOT NULL,
  written integer NOT NULL,
  skipped integer NOT NULL,
  finished_at timestamptz(3),
  uts timestamptz(3) NOT NULL,
  CONSTRAINT import_run_pkey PRIMARY KEY (pid, source),
  CONSTRAINT import_run_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE shopify_connection (
  pid text NOT NULL,
  secret text NOT NULL,
  created_at timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  CONSTRAINT shopify_connection_pkey PRIMARY KEY (pid),
  CONSTRAINT shopify_connection_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE shopify_event (
  pid text NOT NULL,
  id text NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT shopify_event_pkey PRIMARY KEY (pid, id),
  CONSTRAINT shopify_event_pid_fkey FOREIGN KEY (pid) REFERENCES shopify_connection(pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX shopify_event_at_idx ON shopify_event (at);

CREATE TABLE shopify_subject (
  pid text NOT NULL,
  subject text NOT NULL,
  changed_at timestamptz(3) NOT NULL,
  digest bytea NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT shopify_subject_pkey PRIMARY KEY (pid, subject),
  CONSTRAINT shopify_subject_pid_fkey FOREIGN KEY (pid) REFERENCES shopify_connection(pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX shopify_subject_at_idx ON shopify_subject (at);

CREATE TABLE inventory_level (
  pid text NOT NULL,
  item text NOT NULL,
  location text NOT NULL,
  available integer NOT NULL,
  at timestamptz(3) NOT NULL,
  CONSTRAINT inventory_level_pkey PRIMARY KEY (pid, item, location),
  CONSTRAINT inventory_level_pid_fkey FOREIGN KEY (pid) REFERENCES shopify_connection(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

-- With the item: before the first ANALYZE, a look-up by key that took an index on the location alone would read a whole location.
CREATE INDEX inventory_level_pid_location_item_idx ON inventory_level (pid, location, item);

CREATE TABLE topic (
  pid text NOT NULL,
  name text NOT NULL,
  trigger text NOT NULL,
  tag text,
  subject text NOT NULL,
  html text NOT NULL,
  text text NOT NULL,
  sms text NOT NULL,
  min_stock integer DEFAULT 1 NOT NULL,
  batch_size integer,
  batch_interval_s integer,
  shoppers_per_unit integer,
  cool_down_s integer DEFAULT 86400 NOT NULL,
  expiry_days integer,
  cts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  uts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  texts jsonb DEFAULT '{}'::jsonb NOT NULL,
  delay_s integer DEFAULT 0 NOT NULL,
  drop_percent integer DEFAULT 5 NOT NULL,
  list_holders boolean DEFAULT false NOT NULL,
  low_stock integer DEFAULT 3 NOT NULL,
  CONSTRAINT topic_pkey PRIMARY KEY (pid, name),
  CONSTRAINT topic_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE subscription (
  pid text NOT NULL,
  id text NOT NULL,
  medium text NOT NULL,
  value text NOT NULL,
  epi text NOT NULL,
  empi text NOT NULL,
  du text NOT NULL,
  topic text NOT NULL,
  extras text,
  confirmed_at timestamptz(3),
  seq bigserial,
  cts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  renewed_at timestamptz(3),
  CONSTRAINT subscription_pkey PRIMARY KEY (id, pid),
  CONSTRAINT subscription_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

-- A topic's audience is counted without reading the subscriptions of the others.
CREATE INDEX subscription_audience_idx ON subscription (pid, topic, medium) WHERE (confirmed_at IS NOT NULL);

-- Finds what was never confirmed without reading every subscription.
CREATE INDEX subscription_pending_idx ON subscription (cts) WHERE (confirmed_at IS NULL);
CREATE INDEX subscription_pid_epi_topic_seq_idx ON subscription (pid, epi, topic, seq);
CREATE UNIQUE INDEX subscription_pid_medium_value_epi_topic_key ON subscription (pid, medium, value, epi, topic);
CREATE INDEX subscription_pid_seq_idx ON subscription (pid, seq);

CREATE TABLE subscription_request (
  pid text NOT NULL,
  id text NOT NULL,
  regid text NOT NULL,
  asker text NOT NULL,
  medium text NOT NULL,
  value text NOT NULL,
  epi text NOT NULL,
  empi text NOT NULL,
  du text NOT NULL,
  topic text NOT NULL,
  extras text,
  mailinglist boolean,
  subscription_id text,
  confirmed_at timestamptz(3),
  told_at timestamptz(3),
  seq bigserial,
  cts timestamptz(3) DEFAULT CURRENT_TIMESTAMP NOT NULL,
  renewed_at timestamptz(3),
  CONSTRAINT subscription_request_pkey PRIMARY KEY (pid, id),
  CONSTRAINT subscription_request_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE,
  CONSTRAINT subscription_request_subscription_id_pid_fkey FOREIGN KEY (subscription_id, pid) REFERENCES subscription(id, pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX subscription_request_pending_idx ON subscription_request (cts) WHERE (confirmed_at IS NULL);
CREATE UNIQUE INDEX subscription_request_pid_medium_value_epi_topic_regid_key ON subscription_request (pid, medium, value, epi, topic, regid);
CREATE INDEX subscription_request_pid_regid_seq_idx ON subscription_request (pid, regid, seq);
CREATE INDEX subscription_request_pid_subscription_id_idx ON subscription_request (pid, subscription_id);

CREATE TABLE contact_proof (
  pid text NOT NULL,
  medium text NOT NULL,
  value text NOT NULL,
  regid text NOT NULL,
  used_at timestamptz(3) NOT NULL,
  CONSTRAINT contact_proof_pkey PRIMARY KEY (pid, medium, value, regid),
  CONSTRAINT contact_proof_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX contact_proof_pid_regid_idx ON contact_proof (pid, regid);
CREATE INDEX contact_proof_used_at_idx ON contact_proof (used_at);

CREATE TABLE mailing_answer (
  pid text NOT NULL,
  medium text NOT NULL,
  value text NOT NULL,
  acceptmarketing boolean NOT NULL,
  signuptime timestamptz(3) NOT NULL,
  acceptsource text NOT NULL,
  regid text DEFAULT ''::text NOT NULL,
  seq bigserial,
  CONSTRAINT mailing_answer_pkey PRIMARY KEY (pid, medium, value),
  CONSTRAINT mailing_answer_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX mailing_answer_medium_value_idx ON mailing_answer (medium, value);
CREATE INDEX mailing_answer_pid_acceptmarketing_seq_idx ON mailing_answer (pid, acceptmarketing, seq DESC);
CREATE INDEX mailing_answer_pid_regid_idx ON mailing_answer (pid, regid);

CREATE TABLE suppression (
  pid text NOT NULL,
  medium text NOT NULL,
  value text NOT NULL,
  cts timestamptz(3) NOT NULL,
  CONSTRAINT suppression_pkey PRIMARY KEY (pid, medium, value),
  CONSTRAINT suppression_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE stop (
  medium text NOT NULL,
  value text NOT NULL,
  is_stopped boolean NOT NULL,
  answers text[] DEFAULT ARRAY[]::text[],
  uts timestamptz(3) NOT NULL,
  CONSTRAINT stop_pkey PRIMARY KEY (medium, value)
);

CREATE TABLE signup_window (
  pid text NOT NULL,
  key bytea NOT NULL,
  count integer NOT NULL,
  started_at timestamptz(3) NOT NULL,
  CONSTRAINT signup_window_pkey PRIMARY KEY (pid, key),
  CONSTRAINT signup_window_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX signup_window_started_at_idx ON signup_window (started_at);

CREATE TABLE restock (
  pid text NOT NULL,
  id text NOT NULL,
  topic text NOT NULL,
  epi text NOT NULL,
  cause text NOT NULL,
  state text DEFAULT 'open'::text NOT NULL,
  cut_seq bigint NOT NULL,
  cursor_seq bigint DEFAULT 0 NOT NULL,
  units integer DEFAULT 0 NOT NULL,
  queued integer DEFAULT 0 NOT NULL,
  batch_left integer,
  next_batch_at timestamptz(3),
  opened_at timestamptz(3) NOT NULL,
  batch_at timestamptz(3),
  skip_from bigint DEFAULT 0 NOT NULL,
  skip_to bigint DEFAULT 0 NOT NULL,
  carried integer DEFAULT 0 NOT NULL,
  seq bigserial,
  item_cut bigint DEFAULT 0 NOT NULL,
  item_seq bigint,
  told_since timestamptz(3),
  was_pr double precision,
  CONSTRAINT restock_pkey PRIMARY KEY (pid, id),
  CONSTRAINT restock_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

-- What the fan-out looks for.
CREATE INDEX restock_due_idx ON restock (next_batch_at) WHERE (state = 'open'::text);

-- One alert event at a time for a variant and topic; also finds the one to stop when stock is gone.
CREATE UNIQUE INDEX restock_live_key ON restock (pid, epi, topic) WHERE (state <> 'stopped'::text);
CREATE INDEX restock_pid_epi_topic_seq_idx ON restock (pid, epi, topic, seq);

CREATE TABLE outbox (
  pid text NOT NULL,
  id text NOT NULL,
  lane text NOT NULL,
  kind text NOT NULL,
  recipient text NOT NULL,
  payload jsonb,
  restock_id text,
  subscription_id text,
  topic text,
  epi text,
  dedupe_key text,
  state text DEFAULT 'queued'::text NOT NULL,
  due_at timestamptz(3) NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  error text,
  seq bigserial,
  cts timestamptz(3) NOT NULL,
  finished_at timestamptz(3),
  claim integer DEFAULT 0 NOT NULL,
  has_place boolean DEFAULT false NOT NULL,
  medium text,
  leaves_at timestamptz(3),
  parcel_id text,
  traceparent text,
  CONSTRAINT outbox_pkey PRIMARY KEY (id, pid),
  CONSTRAINT outbox_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

-- Alerts to a contact, by the beginning of its address.
CREATE INDEX outbox_alert_contact_idx ON outbox (pid, recipient text_pattern_ops) WHERE (lane = 'alert'::text);

-- A store's alerts of one state, newest first.
CREATE INDEX outbox_alert_state_idx ON outbox (pid, state, cts, seq) WHERE (lane = 'alert'::text);

-- An alert that was withheld after an attempt of unknown outcome is sent under its own id at the next alert event; this finds it.
CREATE INDEX outbox_begun_idx ON outbox (recipient, medium, epi, topic) WHERE ((state = 'withheld'::text) AND (attempts > 1));

-- Only messages that have a key: alerts, which are the many, stay out of it.
CREATE UNIQUE INDEX outbox_dedupe_key ON outbox (pid, dedupe_key) WHERE (dedupe_key IS NOT NULL);

-- What a dispatcher claims; small, because sent messages leave it.
CREATE INDEX outbox_due_idx ON outbox (lane, medium, due_at) WHERE (state = 'queued'::text);

-- Dead letters.
CREATE INDEX outbox_failed_idx ON outbox (pid, seq) WHERE (state = 'failed'::text);

-- What is old enough to be removed.
CREATE INDEX outbox_finished_idx ON outbox (finished_at) WHERE (finished_at IS NOT NULL);

-- A subscription has at most one unsent alert: a newer alert event takes it over instead of adding a second.
CREATE UNIQUE INDEX outbox_live_alert_key ON outbox (pid, subscription_id) WHERE ((state = 'queued'::text) AND (subscription_id IS NOT NULL));

-- A list owner has at most one unsent alert of a product and topic.
CREATE UNIQUE INDEX outbox_live_holder_key ON outbox (pid, epi, topic, medium, recipient) WHERE ((state = 'queued'::text) AND (lane = 'alert'::text) AND (subscription_id IS NULL));

-- Whom an alert event has notified. Back in stock, which notifies subscribers only, needs none.
CREATE INDEX outbox_occasion_idx ON outbox (restock_id, recipient, medium) WHERE ((restock_id IS NOT NULL) AND (topic <> 'backinstock'::text));

-- Alerts that a frequency cap, digest or quiet hours hold back. By the recipient alone: no other index can serve that look-up.
CREATE INDEX outbox_paced_idx ON outbox (recipient) WHERE (leaves_at IS NOT NULL);
CREATE UNIQUE INDEX outbox_pid_restock_id_subscription_id_key ON outbox (pid, restock_id, subscription_id);
CREATE INDEX outbox_pid_seq_idx ON outbox (pid, seq);

-- Stores take turns: those with something due are found one by one, each by its oldest message.
CREATE INDEX outbox_turn_idx ON outbox (lane, medium, pid, due_at) WHERE (state = 'queued'::text);

-- Deliveries of one webhook.
CREATE INDEX outbox_webhook_idx ON outbox (pid, recipient, seq) WHERE (lane = 'webhook'::text);

-- Webhooks take turns as stores do.
CREATE INDEX outbox_webhook_turn_idx ON outbox (pid, recipient, due_at) WHERE ((lane = 'webhook'::text) AND (state = 'queued'::text));

CREATE TABLE alert_seen (
  pid text NOT NULL,
  medium text NOT NULL,
  value text NOT NULL,
  epi text NOT NULL,
  topic text NOT NULL,
  sent_at timestamptz(3) NOT NULL,
  CONSTRAINT alert_seen_pkey PRIMARY KEY (pid, epi, topic, medium, value),
  CONSTRAINT alert_seen_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE alert_mute (
  pid text NOT NULL,
  medium text NOT NULL,
  value text NOT NULL,
  topic text NOT NULL,
  epi text NOT NULL,
  cts timestamptz(3) NOT NULL,
  CONSTRAINT alert_mute_pkey PRIMARY KEY (pid, medium, value, topic, epi),
  CONSTRAINT alert_mute_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE alert_click (
  pid text NOT NULL,
  alert_id text NOT NULL,
  topic text NOT NULL,
  epi text NOT NULL,
  empi text,
  medium text NOT NULL,
  value text NOT NULL,
  first_at timestamptz(3) NOT NULL,
  last_at timestamptz(3) NOT NULL,
  CONSTRAINT alert_click_pkey PRIMARY KEY (pid, alert_id),
  CONSTRAINT alert_click_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX alert_click_last_at_idx ON alert_click (last_at);
CREATE INDEX alert_click_pid_medium_value_idx ON alert_click (pid, medium, value);

CREATE TABLE unmeasured (
  pid text NOT NULL,
  medium text NOT NULL,
  value text NOT NULL,
  cts timestamptz(3) NOT NULL,
  CONSTRAINT unmeasured_pkey PRIMARY KEY (pid, medium, value),
  CONSTRAINT unmeasured_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE order_report (
  pid text NOT NULL,
  order_id text NOT NULL,
  ordered_at timestamptz(3) NOT NULL,
  reported_at timestamptz(3) NOT NULL,
  currency text NOT NULL,
  total numeric(28,6) NOT NULL,
  from_alerts numeric(28,6) NOT NULL,
  from_lists numeric(28,6) NOT NULL,
  regid text,
  email text,
  phone text,
  lines jsonb DEFAULT '[]'::jsonb NOT NULL,
  is_nameless boolean DEFAULT false NOT NULL,
  seq bigserial,
  CONSTRAINT order_report_pkey PRIMARY KEY (pid, order_id),
  CONSTRAINT order_report_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

-- The hourly look for people to forget skips orders whose person is forgotten already.
CREATE INDEX order_report_named_idx ON order_report (reported_at) WHERE (NOT is_nameless);
CREATE INDEX order_report_pid_email_idx ON order_report (pid, email);
CREATE INDEX order_report_pid_phone_idx ON order_report (pid, phone);
CREATE INDEX order_report_pid_regid_idx ON order_report (pid, regid);
CREATE INDEX order_report_reported_at_idx ON order_report (reported_at);

CREATE TABLE revenue_sum (
  pid text NOT NULL,
  day text NOT NULL,
  kind text NOT NULL,
  topic text NOT NULL,
  currency text NOT NULL,
  orders integer NOT NULL,
  amount numeric(28,6) NOT NULL,
  CONSTRAINT revenue_sum_pkey PRIMARY KEY (pid, day, kind, topic, currency),
  CONSTRAINT revenue_sum_pid_fkey FOREIGN KEY (pid) REFERENCES store(pid) ON UPDATE CASCADE ON DELETE CASCADE
);

CREATE TABLE tally (
  pid text NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  n integer NOT NULL,
  CONSTRAINT tally_pkey PRIMARY KEY (pid, kind, key)
);

-- The top of a figure is read from the index alone.
CREATE INDEX tally_pid_kind_n_key_idx ON tally (pid, kind, n DESC, key);

CREATE TABLE tally_delta (
  pid text NOT NULL,
  seq bigserial,
  kind text NOT NULL,
  key text NOT NULL,
  n integer NOT NULL,
  CONSTRAINT tally_delta_pkey PRIMARY KEY (pid, seq)
);

-- Counts and sizes of lists

CREATE FUNCTION weighed_columns(weighed regclass, own name[], form text) RETURNS text
  LANGUAGE sql STABLE AS $$
  SELECT string_agg(format(form, attname), ', ' ORDER BY attnum) FROM pg_attribute
  WHERE attrelid = weighed AND attnum > 0 AND NOT attisdropped AND attname <> ALL (own)
    AND atttypid = ANY (ARRAY['text', 'jsonb', 'text[]']::regtype[])
$$;

-- What a row takes of its owner's storage quota follows the columns of its table: every text, JSON and array of texts counts but those that the service
-- itself fills. A function that looks for them in each row takes 30 times as long as one that names them (124 µs an item against 4), so this names them:
-- a migration that adds, renames or drops a column of item or list ends with `SELECT renew_weights()`. Where a new column comes with values for existing
-- rows, it also counts list.bytes anew.
CREATE FUNCTION renew_weights() RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  own_of_item name[] := '{pid,lid,id,di,uby}';
  own_of_list name[] := '{pid,lid,regid,sfl_owner,cby,uby,di,uid}';
BEGIN
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION item_bytes(i item) RETURNS integer LANGUAGE sql STABLE AS ''SELECT 256 + octet_length(concat(%s))''',
    weighed_columns('item', own_of_item, '(i).%I'));
  EXECUTE format(
    'CREATE OR REPLACE FUNCTION list_bytes(l list) RETURNS integer LANGUAGE sql STABLE AS ''SELECT 256 + octet_length(concat(%s))''',
    weighed_columns('list', own_of_list, '(l).%I'));
  EXECUTE format(
    'CREATE OR REPLACE TRIGGER list_changed BEFORE UPDATE OF %s ON list FOR EACH ROW
      WHEN ((%s) IS DISTINCT FROM (%s)) EXECUTE FUNCTION list_weigh()',
    weighed_columns('list', own_of_list, '%I'), weighed_columns('list', own_of_list, 'OLD.%I'), weighed_columns('list', own_of_list, 'NEW.%I'));
END $$;

CREATE FUNCTION item_bytes(epi text, empi text, du text, uri text, note text, cprops jsonb, lbls text[], lity text, bt text, dt text, sku text, iu text, vi text, platformitemid text, bundle jsonb) RETURNS integer
  LANGUAGE sql STABLE AS $$
  SELECT 256 + octet_length(concat(epi, empi, du, uri, note, cprops, lbls, lity, bt, dt, sku, iu, vi, platformitemid, bundle))
$$;

-- list.cnt, list.itemcmnts and list.bytes follow the rows by themselves, whichever statement writes them. One statement-level trigger an event: a write
-- of 500 items costs one update of the list.
CREATE FUNCTION list_weigh() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.bytes := NEW.bytes + list_bytes(NEW);
  IF TG_OP = 'UPDATE' THEN
    NEW.bytes := NEW.bytes - list_bytes(OLD);
  END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION item_count_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET cnt = l.cnt + d.cnt, itemcmnts = l.itemcmnts + d.noted, bytes = l.bytes + d.bytes
  FROM (
    SELECT pid, lid, count(*)::int AS cnt, count(note)::int AS noted, sum(item_bytes(added)) AS bytes FROM added GROUP BY pid, lid
  ) d
  WHERE l.pid = d.pid AND l.lid = d.lid;
  RETURN NULL;
END $$;

CREATE FUNCTION item_count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET cnt = l.cnt + d.cnt, itemcmnts = l.itemcmnts + d.noted, bytes = l.bytes + d.bytes
  FROM (
    SELECT pid, lid, sum(cnt)::int AS cnt, sum(noted)::int AS noted, sum(bytes) AS bytes
    FROM (
      SELECT pid, lid, 1 AS cnt, (note IS NOT NULL)::int AS noted, item_bytes(added) AS bytes FROM added
      UNION ALL
      SELECT pid, lid, -1, -(note IS NOT NULL)::int, -item_bytes(removed) FROM removed
    ) both_sides GROUP BY pid, lid
  ) d
  WHERE l.pid = d.pid AND l.lid = d.lid AND (d.cnt <> 0 OR d.noted <> 0 OR d.bytes <> 0);
  RETURN NULL;
END $$;

CREATE FUNCTION item_count_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET cnt = l.cnt - d.cnt, itemcmnts = l.itemcmnts - d.noted, bytes = l.bytes - d.bytes
  FROM (
    SELECT pid, lid, count(*)::int AS cnt, count(note)::int AS noted, sum(item_bytes(removed)) AS bytes FROM removed GROUP BY pid, lid
  ) d
  WHERE l.pid = d.pid AND l.lid = d.lid;
  RETURN NULL;
END $$;

CREATE FUNCTION list_copy_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET bytes = l.bytes + d.bytes FROM (SELECT pid, lid, sum(bytes) AS bytes FROM added GROUP BY pid, lid) d
  WHERE l.pid = d.pid AND l.lid = d.lid;
  RETURN NULL;
END $$;

CREATE FUNCTION list_copy_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE list l SET bytes = l.bytes - d.bytes FROM (SELECT pid, lid, sum(bytes) AS bytes FROM removed GROUP BY pid, lid) d
  WHERE l.pid = d.pid AND l.lid = d.lid;
  RETURN NULL;
END $$;

-- Makes item_bytes(item), list_bytes(list) and the trigger list_changed.
SELECT renew_weights();

CREATE TRIGGER list_added BEFORE INSERT ON list FOR EACH ROW EXECUTE FUNCTION list_weigh();

-- A statement that counts the items it writes and updates the row of the list itself sets wishgate.counts for its transaction. For all others (SQL by
-- hand, merges, copies, cascades) the triggers count.
CREATE TRIGGER item_added AFTER INSERT ON item REFERENCING NEW TABLE AS added FOR EACH STATEMENT WHEN ((current_setting('wishgate.counts'::text, true) IS DISTINCT FROM 'statement'::text)) EXECUTE FUNCTION item_count_added();
CREATE TRIGGER item_changed AFTER UPDATE ON item REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT WHEN ((current_setting('wishgate.counts'::text, true) IS DISTINCT FROM 'statement'::text)) EXECUTE FUNCTION item_count_changed();
CREATE TRIGGER item_removed AFTER DELETE ON item REFERENCING OLD TABLE AS removed FOR EACH STATEMENT WHEN ((current_setting('wishgate.counts'::text, true) IS DISTINCT FROM 'statement'::text)) EXECUTE FUNCTION item_count_removed();
CREATE TRIGGER list_copy_added AFTER INSERT ON list_copy REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION list_copy_added();
CREATE TRIGGER list_copy_removed AFTER DELETE ON list_copy REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION list_copy_removed();

-- Revisions

-- A shopper's revision also says which lists changed. `changed` holds each list once; what would not fit beside the row (about twenty-five lists) loses
-- its older half, and `floor` is the revision from which it is complete.
CREATE FUNCTION move_shopper_revision(moved_pid text, moved_regid text, moved_lid text) RETURNS void
  LANGUAGE plpgsql AS $$
DECLARE
  size integer;
BEGIN
  UPDATE shopper_revision SET rev = rev + 1, floor = coalesce(floor, rev), changed = changed || jsonb_build_object(moved_lid, rev + 1)
  WHERE pid = moved_pid AND regid = moved_regid RETURNING pg_column_size(changed) INTO size;
  IF NOT FOUND THEN
    INSERT INTO shopper_revision AS r (pid, regid, rev, floor, changed) VALUES (moved_pid, moved_regid, 1, 0, jsonb_build_object(moved_lid, 1))
    ON CONFLICT (pid, regid) DO UPDATE SET rev = r.rev + 1, floor = coalesce(r.floor, r.rev), changed = r.changed || jsonb_build_object(moved_lid, r.rev + 1);
  ELSIF size > 1000 THEN
    UPDATE shopper_revision r SET (changed, floor) = (
      SELECT jsonb_object_agg(key, value) FILTER (WHERE place <= 12), max(value::bigint) FILTER (WHERE place > 12)
      FROM (SELECT key, value, row_number() OVER (ORDER BY value::bigint DESC) AS place FROM jsonb_each(r.changed)) noted)
    WHERE pid = moved_pid AND regid = moved_regid;
  END IF;
END $$;

CREATE FUNCTION list_moves_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM move_shopper_revision(OLD.pid, OLD.regid, OLD.lid);
  END IF;
  IF TG_OP = 'INSERT' OR (TG_OP = 'UPDATE' AND NEW.regid <> OLD.regid) THEN
    PERFORM move_shopper_revision(NEW.pid, NEW.regid, NEW.lid);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION catalog_slice(epi text) RETURNS smallint
  LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT (hashtext(epi) & 255)::smallint$$;

-- Statements note the shards that they change. Only what readers of a list see of a variant counts: a feed that sends the same again changes none.
CREATE FUNCTION product_adds_slices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_change (pid, slices) SELECT pid, array_agg(DISTINCT catalog_slice(epi)) FROM added GROUP BY pid;
  RETURN NULL;
END $$;

CREATE FUNCTION product_changes_slices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_change (pid, slices)
  SELECT pid, array_agg(DISTINCT slice) FROM (
    SELECT pid, catalog_slice(epi) AS slice, epi, du, uri, bt, dt, sku, iu, pr, vi, stk FROM added
    EXCEPT
    SELECT pid, catalog_slice(epi), epi, du, uri, bt, dt, sku, iu, pr, vi, stk FROM removed
  ) changed GROUP BY pid;
  RETURN NULL;
END $$;

CREATE FUNCTION product_removes_slices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO catalog_change (pid, slices) SELECT pid, array_agg(DISTINCT catalog_slice(epi)) FROM removed GROUP BY pid;
  RETURN NULL;
END $$;

-- All are moved at once when the transaction ends, in rising order: feeds wait for each other for that moment only, and never in a circle. Notes of others
-- are never seen here: each transaction removes its own before it ends.
CREATE FUNCTION catalog_changes_move_slices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH noted AS (DELETE FROM catalog_change RETURNING pid, slices)
  INSERT INTO catalog_revision AS c (pid, slice, rev)
  SELECT pid, slice, 1 FROM (SELECT DISTINCT pid, unnest(slices) AS slice FROM noted) n ORDER BY pid, slice
  ON CONFLICT (pid, slice) DO UPDATE SET rev = c.rev + 1;
  RETURN NULL;
END $$;

-- At the end of the transaction, when it holds all its other locks: moved earlier, two writers could wait for each other for ever. Every change of an item
-- changes the row of its list.
CREATE CONSTRAINT TRIGGER list_revision AFTER INSERT OR DELETE OR UPDATE ON list DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION list_moves_revision();
CREATE TRIGGER product_added AFTER INSERT ON product REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION product_adds_slices();
CREATE TRIGGER product_changed AFTER UPDATE ON product REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION product_changes_slices();
CREATE TRIGGER product_removed AFTER DELETE ON product REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION product_removes_slices();
CREATE CONSTRAINT TRIGGER catalog_change_revision AFTER INSERT ON catalog_change DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION catalog_changes_move_slices();

-- Figures

-- Triggers only insert deltas, which a background task folds, so that shoppers who want the same product never wait for each other.
CREATE FUNCTION tally_wish_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tally_delta (pid, kind, key, n) SELECT pid, 'wish', empi, count(*) FROM added GROUP BY pid, empi;
  RETURN NULL;
END $$;

CREATE FUNCTION tally_wish_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tally_delta (pid, kind, key, n) SELECT pid, 'wish', empi, -count(*) FROM removed GROUP BY pid, empi;
  RETURN NULL;
END $$;

CREATE FUNCTION tally_wait_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tally_delta (pid, kind, key, n) SELECT pid, 'wait', epi, count(*) FROM added GROUP BY pid, epi;
  RETURN NULL;
END $$;

CREATE FUNCTION tally_wait_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tally_delta (pid, kind, key, n) SELECT pid, 'wait', epi, -count(*) FROM removed GROUP BY pid, epi;
  RETURN NULL;
END $$;

CREATE TRIGGER item_wish_added AFTER INSERT ON item REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_wish_added();
CREATE TRIGGER item_wish_removed AFTER DELETE ON item REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_wish_removed();
CREATE TRIGGER subscription_wait_added AFTER INSERT ON subscription REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION tally_wait_added();
CREATE TRIGGER subscription_wait_removed AFTER DELETE ON subscription REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION tally_wait_removed();
