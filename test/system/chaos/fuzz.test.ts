import { besideService, startMain, untilReady } from '../fault/fixtures/main-process.ts';
import type { MainProcess } from '../fault/fixtures/main-process.ts';
import { noteFigures } from '../../figures.ts';
import { useService } from '../../harness.ts';
import { expectMatchesOpenApi } from '../../openapi.ts';
import { inFull } from '../../tier.ts';
import { newAccount } from '../../api/list-kit.ts';
import { createConnection, sendRaw } from './fuzz-client.ts';
import type { WireAnswer } from './fuzz-client.ts';
import { createFuzz } from './fuzz-requests.ts';
import type { FuzzRequest, Victim } from './fuzz-requests.ts';
import { createChance } from './hostile.ts';
import { PROBED, readHeld } from './probe.ts';

const REQUESTS = inFull(1_000_000, 1_000);
/** After so many requests another store is the victim: hostile writes fill the old one. */
const ROUND = Math.min(5_000, REQUESTS / 2);
const CONNECTIONS = 12;
/** The largest answer that little can ask for. */
const MAX_ANSWER = 400_000;

// Of its own: hostile writes fill its database.
const service = useService({});
let main: MainProcess;
let port: number;

beforeAll(async () => {
  const env = { ...besideService(service), LIVE_WAIT_SECONDS: '0', LOG_LEVEL: 'error' };
  main = startMain(env, 'main', PROBED);
  port = Number(new URL(await main.url).port);
});
afterAll(async () => {
  await main.end();
});

/** What nobody outside may ever read: places, statements, names of parts. */
const INTERNALS =
  /node_modules|\/(src|dist)\/[a-z]|\bat .{1,80}:\d+:\d+\)|prisma|postgres:|ECONNREFUSED|\bSELECT .{1,200}\bFROM\b|\bINSERT INTO\b|\bpg_[a-z]|violates|syntax error at or near/gi;

/** What an answer shows of the inside; a value that was sent may come back in it, and may look like such. */
function leakIn(text: string, { bytes }: FuzzRequest): string | undefined {
  const sent = bytes.toString('latin1');
  const decoded = sent.replaceAll(/%([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  const isEcho = (leak: string): boolean => sent.includes(leak) || decoded.includes(leak);
  return text.match(INTERNALS)?.find((leak) => !isEcho(leak));
}

/** What is wrong with an answer; null when nothing is. */
function judge(request: FuzzRequest, { status, headers, body }: WireAnswer): string | null {
  const { kind, call } = request;
  const isTold = status === 503 && /\r\nretry-after:/i.test(headers);
  if (status >= 500 && !isTold) return `status ${status}`;
  if (body.length > MAX_ANSWER) return `${body.length} bytes`;
  const leak = leakIn(body, request) ?? leakIn(headers, request);
  if (leak !== undefined) return `leaks "${leak}"`;
  if (kind === 'raw' || !/\r\ncontent-type: application\/([a-z-]+\+)?json/i.test(headers)) return null;
  const parsed = JSON.parse(body) as Record<string, unknown>;
  try {
    if (call) expectMatchesOpenApi(call[0], call[1], status, parsed);
  } catch (error) {
    return (error as Error).message;
  }
  const errors = (parsed['errors'] ?? []) as { extensions?: { status?: number } }[];
  const failed = call ? undefined : errors.find(({ extensions }) => (extensions?.status ?? 500) >= 500);
  return failed && !isTold && failed.extensions?.status !== 503 ? 'an unforeseen failure' : null;
}

async function newVictim(): Promise<Victim> {
  const store = await service.createStore({ customItems: true, doubleOptIn: true });
  const { shopper, create } = await newAccount(service, store);
  return { store, shopper, lid: String((await create('List')).lid) };
}

test(`${REQUESTS} hostile requests (forms, JSON, GraphQL, headers, raw bytes) never fail in an unforeseen way, show nothing of the inside, and leave the process alive`, async () => {
  const start = performance.now();
  const kinds: Record<string, number> = {};
  const statuses: Record<number, number> = {};
  const faults: string[] = [];
  const heap: number[] = [];
  for (let done = 0; done < REQUESTS && faults.length === 0; done += ROUND) {
    const next = createFuzz(createChance(), await newVictim());
    let left = ROUND;
    const send = async (): Promise<void> => {
      const connection = createConnection(port);
      while (left > 0 && faults.length === 0) {
        left -= 1;
        const request = next();
        const one = request.isWhole ? await connection.ask(request.bytes) : null;
        const answers = request.isWhole ? one && [one] : await sendRaw(port, request.bytes);
        kinds[request.kind] = (kinds[request.kind] ?? 0) + 1;
        for (const { status } of answers ?? []) statuses[status] = (statuses[status] ?? 0) + 1;
        const wrong = answers
          ? answers.map((answer) => judge(request, answer)).find((text) => text !== null)
          : 'no answer';
        if (wrong)
          faults.push(
            `${request.kind}: ${wrong}\n${request.bytes.toString('latin1', 0, 2_000)}\n${answers?.[0]?.body.slice(0, 500)}`,
          );
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, send));
    heap.push(Math.round((await readHeld(main)).heapMb));
  }
  const seconds = (performance.now() - start) / 1_000;
  const total = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  await noteFigures('fuzz', {
    requests: total,
    kinds,
    statuses,
    faults: faults.length,
    perSecond: Math.round(total / seconds),
    heapMb: heap.filter((_, n) => n % Math.ceil(heap.length / 20) === 0 || n === heap.length - 1),
  });
  expect(faults).toEqual([]);
  expect(main.child.exitCode).toBeNull();
  await untilReady(`http://127.0.0.1:${port}`);
  // The caches of documents fill until then: the second half of a long run grows by no more than noise.
  if (heap.length > 10) expect(heap.at(-1)).toBeLessThan(heap[heap.length >> 1]! * 1.25);
});
