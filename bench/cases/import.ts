// A feed of many variants: wishgate's importer beside COPY and one merge statement, for a catalogue that is new and for one that changes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setInterval } from 'node:timers/promises';
import type { Bench, Case, Row } from '../bench.ts';
import { median } from '../contest.ts';
import { copyFrom } from '../copy.ts';
import { copyLine, variantOf } from '../data.ts';
import { withScratchStore } from '../scratch-store.ts';
import { memoryMb } from '../usage.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COLUMNS = ['epi', 'empi', 'du', 'bt', 'dt', 'sku', 'iu', 'stk', 'pr', 'vi'] as const;
const MAX_ROUNDS = 3;

type Feed = { ndjson: string; tsv: string; rows: number };

/** The same variants twice: a file for the importer and one for COPY. Another `step` has another stock and price. */
async function writeFeed({ scratch }: Bench, rows: number, step: number): Promise<Feed> {
  const path = join(scratch, `feed-${rows}-${step}`);
  const feed = { ndjson: `${path}.ndjson`, tsv: `${path}.tsv`, rows };
  const files = [createWriteStream(feed.ndjson), createWriteStream(feed.tsv)] as const;
  for (let number = 0; number < rows; number += 1) {
    const variant = variantOf(number);
    const record = { ...variant, stk: (number + 3 * step) % 20, pr: variant.pr + step };
    files[0].write(`${JSON.stringify(record)}\n`);
    if (!files[1].write(copyLine(COLUMNS.map((column) => record[column])))) await once(files[1], 'drain');
  }
  for (const file of files) {
    file.end();
    await once(file, 'close');
  }
  return feed;
}

type Run = { perSecond: number; peakMb: number | null };

/** COPY into a table of its own, then one statement into the catalogue. */
async function copyAndMerge({ data }: Bench, pid: string, { tsv, rows }: Feed): Promise<Run> {
  const client = await data.db.pool.connect();
  try {
    const start = performance.now();
    await client.query(`CREATE TEMP TABLE feed (epi text, empi text, du text, bt text, dt text, sku text, iu text, stk int,
      pr float8, vi text)`);
    await copyFrom(
      client,
      'COPY feed FROM STDIN',
      createReadStream(tsv, { encoding: 'utf8', highWaterMark: 1 << 20 }),
    );
    const changed = COLUMNS.slice(1).map((column) => `${column} = coalesce(excluded.${column}, p.${column})`);
    await client.query(
      `INSERT INTO product AS p (pid, ${COLUMNS.join(', ')}, cts, uts) SELECT $1, ${COLUMNS.join(', ')}, now(), now() FROM feed
       ON CONFLICT (pid, epi) DO UPDATE SET ${changed.join(', ')}, before_stk = p.stk, before_pr = p.pr, rev = p.rev + 1, uts = now()`,
      [pid],
    );
    const seconds = (performance.now() - start) / 1_000;
    await client.query('DROP TABLE feed');
    return { perSecond: rows / seconds, peakMb: null };
  } finally {
    client.release();
  }
}

async function runImporter({ data, scratch }: Bench, pid: string, { ndjson, rows }: Feed): Promise<Run> {
  const start = performance.now();
  const child = spawn(process.execPath, ['dist/cli/import.js', '--pid', pid, '--file', ndjson], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: data.url, DATA_DIR: scratch, DEMO: '0', LOG_LEVEL: 'error' },
    stdio: 'ignore',
  });
  let peakMb: number | null = null;
  const watch = (async () => {
    for await (const _tick of setInterval(50)) {
      if (child.exitCode !== null) return;
      peakMb = memoryMb(child.pid!)?.peak ?? peakMb;
    }
  })();
  const [code] = (await once(child, 'exit')) as [number | null];
  const perSecond = rows / ((performance.now() - start) / 1_000);
  await watch;
  if (code !== 0) throw new Error(`The importer ended with code ${code}`);
  return { perSecond, peakMb };
}

const WAYS = { copy: copyAndMerge, wishgate: runImporter };
type Measured = Record<keyof typeof WAYS, Run>;

/** Each way imports the feeds one after the other into a store of its own. */
async function runAll(bench: Bench, feeds: readonly Feed[]): Promise<Measured[]> {
  const measured = feeds.map(() => ({}) as Measured);
  for (const way of ['copy', 'wishgate'] as const) {
    await withScratchStore(bench.data.db, async ({ pid }) => {
      for (const [index, feed] of feeds.entries()) measured[index]![way] = await WAYS[way](bench, pid, feed);
    });
    await bench.data.db.query('VACUUM ANALYZE product');
  }
  return measured;
}

export const importing: Case = {
  name: 'import',
  title: 'Import of 1,000,000 variants (small data: 100,000)',
  async run(bench) {
    const rows = bench.data.name === 'full' ? 1_000_000 : 100_000;
    const count = Math.min(bench.data.name === 'full' ? 1 : MAX_ROUNDS, bench.rounds);
    bench.progress.now('import: writing the files');
    const feeds = [await writeFeed(bench, rows, 0), await writeFeed(bench, rows, 1)];
    const rounds: Measured[][] = [];
    for (let round = 1; round <= count; round += 1) {
      bench.progress.now(`import: round ${round} of ${count}`);
      rounds.push(await runAll(bench, feeds));
    }
    const rateOf = (feed: number, way: keyof Measured): number =>
      median(rounds.map((round) => round[feed]![way].perSecond));
    const rowsOf = (feed: number, what: string): Row[] => [
      { name: `COPY + one merge statement, ${what}`, value: rateOf(feed, 'copy'), ratio: 1 },
      {
        name: `wishgate, ${what}`,
        value: rateOf(feed, 'wishgate'),
        ratio: rateOf(feed, 'wishgate') / rateOf(feed, 'copy'),
        goal: { atLeast: 0.5 },
      },
    ];
    bench.progress.now('import: memory with a tenth of the lines');
    const tenth = await writeFeed(bench, rows / 10, 0);
    const small = await withScratchStore(bench.data.db, ({ pid }) => runImporter(bench, pid, tenth));
    const peak = rounds[0]![0]!.wishgate.peakMb;
    return {
      unit: 'variants/s',
      rows: [...rowsOf(0, 'all of them new'), ...rowsOf(1, 'all of them changed')],
      notes:
        peak === null || small.peakMb === null
          ? []
          : [
              `Memory of the importer at its highest: ${Math.round(peak)} MB, with a tenth of the lines ${Math.round(small.peakMb)} MB.`,
            ],
    };
  },
};
