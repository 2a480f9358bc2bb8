// npm run capacity: what a number of items takes, from bytes that are measured here and processor time that docs/performance.md has. `-- --help` tells the flags.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { ITEMS_PER_LIST } from './data.ts';
import { openServer, prepare } from './prepare.ts';
import type { Server, SizeName } from './prepare.ts';
import { createProgress } from './progress.ts';

/** What is assumed, each by a flag of its name, with what it is. */
const ASSUMED = {
  views: [
    40,
    'page views a shopper a month, most of them of visitors who save nothing; each identifies its visitor',
  ],
  reads: [8, 'reads a shopper a month, of which one in two finds nothing changed'],
  writes: [2, 'writes a shopper a month'],
  subscriptions: [0.5, 'subscriptions a shopper'],
  alerts: [1, 'alerts a shopper a month; rows are kept for 30 days after the end'],
  peak: [6, 'how many times the average the busiest hour has'],
  busy: [0.4, 'share of a core that may be in use at the peak'],
  slack: [1.4, 'room for dead rows, half-filled index pages and WAL, as a factor'],
  hot: [0.1, 'share of the bytes that a month touches, which memory should hold'],
  'server-gb': [2000, 'disk of one database server; 70 % of it is filled'],
  'server-memory': [256, 'memory of one database server in GB'],
  copies: [2, 'servers that hold the same rows: one that writes, others that follow'],
  'price-core': [25, 'a core with 4 GB of memory a month'],
  'price-gb': [0.1, 'a GB of disk a month'],
} as const satisfies Record<string, readonly [number, string]>;

type Assumption = keyof typeof ASSUMED;
const names = Object.keys(ASSUMED) as Assumption[];

const HELP = `npm run capacity -- [flags]

Measures the bytes of an item, a shopper and an alert, and prints what 1 million to 10 billion items take.

  --full             measures on 10,000,000 items (the benchmark's; the first run loads them) instead of 200,000
  --help             this text
${names.map((name) => `  --${`${name} N`.padEnd(16)} ${ASSUMED[name][1]} (${ASSUMED[name][0]})`).join('\n')}
`;

const SECONDS_A_MONTH = 30 * 86_400;
const ROWS = 100_000;
const COUNTS = [1e6, 1e8, 1e9, 1e10];

/** Bytes on disk, with indexes, of one item (with its share of list and shopper), one subscription and one alert. */
type Bytes = { item: number; bare: number; subscription: number; alert: number };

async function measure(server: Server, size: SizeName): Promise<Bytes> {
  const { db, url } = await prepare(server, size, createProgress(process.stderr));
  await db.close();
  const scratch = Object.assign(new URL(url), { pathname: '/wishgate_capacity' }).href;
  const admin = new pg.Client({ connectionString: server.url });
  await admin.connect();
  await admin.query('DROP DATABASE IF EXISTS wishgate_capacity WITH (FORCE)');
  await admin.query(`CREATE DATABASE wishgate_capacity TEMPLATE ${new URL(url).pathname.slice(1)}`);
  const client = new pg.Client({ connectionString: scratch });
  await client.connect();
  try {
    const sizeOf = async (...tables: string[]): Promise<number> => {
      const sum = tables.map((table) => `pg_total_relation_size('${table}')`).join(' + ');
      return Number((await client.query<{ bytes: string }>(`SELECT ${sum} AS bytes`)).rows[0]!.bytes);
    };
    const { rows } = await client.query<{ count: number }>('SELECT count(*)::int AS count FROM item');
    const items = rows[0]!.count;
    const around = await sizeOf('item', 'list', 'shopper', 'shopper_revision');
    const bare = await sizeOf('item');
    const grown = async (table: string, sql: string): Promise<number> => {
      const before = await sizeOf(table);
      await client.query(sql);
      return ((await sizeOf(table)) - before) / ROWS;
    };
    const numbers = `generate_series(1, ${ROWS}) AS n, (SELECT pid FROM store LIMIT 1) AS s`;
    const subscription = await grown(
      'subscription',
      `INSERT INTO subscription (pid, id, medium, value, epi, empi, du, topic, confirmed_at)
       SELECT pid, gen_random_uuid(), 'email', 'shopper-' || n || '@example.com', 40000000000 + n % 1000, 7000000000,
         'https://shop.example/products/' || n % 200, 'backinstock', now() FROM ${numbers}`,
    );
    const alert = await grown(
      'outbox',
      `INSERT INTO outbox (pid, id, lane, medium, kind, recipient, restock_id, subscription_id, topic, epi, state, attempts, due_at, cts, finished_at)
       SELECT pid, gen_random_uuid(), 'alert', 'email', 'alert', 'shopper-' || n || '@example.com', gen_random_uuid(), gen_random_uuid(), 'backinstock',
         40000000000 + n % 1000, 'sent', 1, now(), now(), now() FROM ${numbers}`,
    );
    return { item: around / items, bare: bare / items, subscription, alert };
  } finally {
    await client.end();
    await admin.query('DROP DATABASE wishgate_capacity WITH (FORCE)');
    await admin.end();
  }
}

/** Processor time of the service and of PostgreSQL for one request, in microseconds, as docs/performance.md has it. */
function processorTime(heading: string, row: string): [number, number] {
  const text = readFileSync('docs/performance.md', 'utf8');
  const part = text.slice(text.indexOf(`### ${heading}`));
  const line = part.split('\n').find((one) => one.startsWith(`| ${row} `));
  const cells = line!.split('|').map((cell) => Number(cell.replace(/,/g, '')));
  return [cells[7]!, cells[8]!];
}

const READS = 'REST fetch-lists: one list of 10 items, full records';
const [firstRead, keptRead] = ['wishgate, first read', 'wishgate, nothing changed since'].map((row) =>
  processorTime(READS, row),
) as [[number, number], [number, number]];
const write = processorTime('REST update-ctx: one item set', 'wishgate');
const view = processorTime('Identification of new guests', 'wishgate, a guest: no row');
/** Of the hand-over to a mail server that takes them at once: docs/performance.md, hand-over of queued alerts. */
const ALERTS_A_SECOND_A_PROCESS = 1_500;

function planOf(items: number, bytes: Bytes, assumed: Record<Assumption, number>): string[] {
  const shoppers = items / ITEMS_PER_LIST;
  const kept = shoppers * (assumed.subscriptions * bytes.subscription + assumed.alerts * bytes.alert);
  const gigabytes = ((items * bytes.item + kept) * assumed.slack) / 1e9;
  const aSecond = (aMonth: number): number => ((shoppers * aMonth) / SECONDS_A_MONTH) * assumed.peak;
  const [views, reads] = [aSecond(assumed.views), aSecond(assumed.reads)];
  const [writes, alerts] = [aSecond(assumed.writes), aSecond(assumed.alerts)];
  const workOf = (which: 0 | 1): number =>
    views * view[which] + (reads * (firstRead[which] + keptRead[which])) / 2 + writes * write[which];
  const cores = (which: 0 | 1): number => workOf(which) / 1e6 / assumed.busy;
  const servers = Math.max(
    1,
    Math.ceil(gigabytes / (assumed['server-gb'] * 0.7)),
    Math.ceil((gigabytes * assumed.hot) / assumed['server-memory']),
  );
  const processes = Math.max(2, Math.ceil(cores(0)) + Math.ceil(alerts / ALERTS_A_SECOND_A_PROCESS));
  const databaseCores = Math.max(
    2,
    Math.ceil(cores(1) / servers),
    Math.ceil((gigabytes * assumed.hot) / servers / 4),
  );
  const price =
    (servers * assumed.copies * databaseCores + processes) * assumed['price-core'] +
    servers * assumed.copies * (gigabytes / servers / 0.7) * assumed['price-gb'];
  const number = (value: number): string => Math.round(value).toLocaleString('en');
  return [
    ...[number(items), number(shoppers), number(gigabytes)],
    ...[number(views), number(reads), number(writes), number(alerts)],
    ...[`${servers} × ${assumed.copies}`, number(databaseCores), number((gigabytes * assumed.hot) / servers)],
    ...[number(processes), number(processes * 20), number(price)],
  ];
}

const COLUMNS = [
  ...[
    'items',
    'shoppers',
    'disk GB',
    'views/s',
    'reads/s',
    'writes/s',
    'alerts/s',
    'servers',
    'cores of each',
    'hot GB of each',
  ],
  ...['processes', 'their connections', 'a month'],
];

const table = (rows: string[][]): string =>
  [COLUMNS, COLUMNS.map(() => '---:'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

async function main(): Promise<void> {
  const options = {
    full: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    ...Object.fromEntries(
      names.map((name) => [name, { type: 'string', default: String(ASSUMED[name][0]) }] as const),
    ),
  } as const;
  const { values } = parseArgs({ options });
  if (values['help']) return void process.stdout.write(HELP);
  const given = values as Record<string, string | boolean>;
  const assumed = Object.fromEntries(names.map((name) => [name, Number(given[name])])) as Record<
    Assumption,
    number
  >;
  const wrong = names.find((name) => !(assumed[name] >= 0));
  if (wrong) throw new Error(`--${wrong} must be a number`);
  const server = await openServer(process.env['DATABASE_URL']);
  try {
    const bytes = await measure(server, values['full'] ? 'full' : 'small');
    const round = (value: number): string => Math.round(value).toLocaleString('en');
    process.stdout.write(
      `Bytes on disk with indexes: ${round(bytes.bare)} an item, ${round(bytes.item)} with its share of list and shopper ` +
        `(${ITEMS_PER_LIST} items a list), ${round(bytes.subscription)} a subscription, ${round(bytes.alert)} an alert.\n\n` +
        `${table(COUNTS.map((items) => planOf(items, bytes, assumed)))}\n`,
    );
  } finally {
    await server.release();
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
});
