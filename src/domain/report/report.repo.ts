import type { Db, Tx } from '../../database/database.ts';

/** What is counted: presence of a product in lists, contacts waiting for a variant, or events of a day. */
export type TallyKind = 'wish' | 'wait' | 'add' | 'subscribe' | 'alert';

const COUNT = {
  name: 'tally_count',
  text: 'INSERT INTO tally_delta (pid, kind, key, n) VALUES ($1, $2, $3, $4)',
};

/** Counts an event of today in the caller's transaction. It only inserts, so that two writers never wait for each other. */
export async function countEvent(
  tx: Tx,
  pid: string,
  kind: 'add' | 'subscribe' | 'alert',
  n: number,
  now: Date,
): Promise<void> {
  if (n > 0) await tx.query(COUNT, [pid, kind, now.toISOString().slice(0, 10), n]);
}

const FOLD = {
  name: 'tally_fold',
  text: `
    WITH taken AS (
      DELETE FROM tally_delta WHERE (pid, seq) IN (
        SELECT pid, seq FROM tally_delta ORDER BY pid, seq LIMIT 5000 FOR UPDATE SKIP LOCKED)
      RETURNING pid, kind, key, n),
    summed AS (
      INSERT INTO tally (pid, kind, key, n)
      SELECT pid, kind, key, sum(n)::int FROM taken GROUP BY pid, kind, key ORDER BY pid, kind, key
      ON CONFLICT (pid, kind, key) DO UPDATE SET n = tally.n + excluded.n)
    SELECT count(*)::int AS folded FROM taken`,
};

/** Folds a portion of what was counted into the figures; the number of portions' rows that were folded. */
export async function foldTallies(db: Db): Promise<number> {
  const [row] = await db.query<{ folded: number }>(FOLD);
  return row!.folded;
}

/** A day's figures. */
export type DayRow = { day: string; adds: number; subscriptions: number; alerts: number };

/** Figures of the last days up to `today` (YYYY-MM-DD), oldest first. */
export function activity(db: Db, pid: string, today: string, days: number): Promise<DayRow[]> {
  return db.query<DayRow>(
    `SELECT to_char(day, 'YYYY-MM-DD') AS day,
       coalesce(max(t.n) FILTER (WHERE t.kind = 'add'), 0) AS adds,
       coalesce(max(t.n) FILTER (WHERE t.kind = 'subscribe'), 0) AS subscriptions,
       coalesce(max(t.n) FILTER (WHERE t.kind = 'alert'), 0) AS alerts
     FROM generate_series($2::date - ($3::int - 1), $2::date, interval '1 day') AS day
     LEFT JOIN tally t ON t.pid = $1 AND t.kind IN ('add', 'subscribe', 'alert') AND t.key = to_char(day, 'YYYY-MM-DD')
       AND t.key BETWEEN to_char($2::date - ($3::int - 1), 'YYYY-MM-DD') AND to_char($2::date, 'YYYY-MM-DD')
     GROUP BY day ORDER BY day`,
    [pid, today, days],
  );
}

/** A product and in how many lists it is. */
export type ProductDemandRow = {
  empi: string;
  count: number;
  dt: string | null;
  iu: string | null;
  du: string | null;
};

/** The products in most lists, from the index of the figures. */
export function mostWishlisted(db: Db, pid: string, first: number): Promise<ProductDemandRow[]> {
  return db.query<ProductDemandRow>(
    `SELECT top.key AS empi, top.n AS count, coalesce(p.dt, i.dt) AS dt, coalesce(p.iu, i.iu) AS iu, coalesce(p.du, i.du) AS du
     FROM (SELECT key, n FROM tally WHERE pid = $1 AND kind = 'wish' AND n > 0 ORDER BY n DESC, key LIMIT $2) top
     LEFT JOIN LATERAL (SELECT dt, iu, du FROM product WHERE pid = $1 AND empi = top.key ORDER BY epi LIMIT 1) p ON true
     LEFT JOIN LATERAL (SELECT dt, iu, du FROM item WHERE pid = $1 AND empi = top.key LIMIT 1) i ON p.du IS NULL
     ORDER BY top.n DESC, top.key`,
    [pid, first],
  );
}

/** A variant and how many subscriptions wait for it. */
export type VariantDemandRow = {
  epi: string;
  empi: string | null;
  waiting: number;
  stk: number | null;
  dt: string | null;
  vi: string | null;
  iu: string | null;
};

/** The sold-out variants that most contacts wait for; a variant that the catalogue does not know counts as sold out. */
export function waitingDemand(db: Db, pid: string, first: number): Promise<VariantDemandRow[]> {
  return db.query<VariantDemandRow>(
    `SELECT t.key AS epi, p.empi, t.n AS waiting, p.stk, p.dt, p.vi, p.iu
     FROM tally t LEFT JOIN product p ON p.pid = t.pid AND p.epi = t.key
     WHERE t.pid = $1 AND t.kind = 'wait' AND t.n > 0 AND coalesce(p.stk, 0) <= 0
     ORDER BY t.n DESC, t.key LIMIT $2`,
    [pid, first],
  );
}
