/**
 * Everything random in a run comes from SEED: this replaces Node's sources of randomness, in the tests and in the service that they test. Each test
 * has a stream of its own, and so has each process that a test starts, so that one draws the same values whatever runs beside it.
 */
const { ChildProcess } = require('node:child_process');
const crypto = require('node:crypto');
const { syncBuiltinESMExports } = require('node:module');
const { threadId } = require('node:worker_threads');

const SEED = 'SEED';

/** Names the stream of a process that a test has started. */
const STREAM = 'WISHGATE_TEST_STREAM';

const POOL_BYTES = 4_096;
const ZEROS = Buffer.alloc(POOL_BYTES);

/** Answers with as many bytes as it is asked for; streams of different names have nothing in common. */
function openStream(name) {
  const key = crypto.createHash('sha256').update(`${process.env[SEED]} ${name}`).digest();
  const cipher = crypto.createCipheriv('aes-256-ctr', key, ZEROS.subarray(0, 16));
  let [pool, at] = [ZEROS, POOL_BYTES];
  return (size) => {
    if (size > POOL_BYTES / 2) return cipher.update(Buffer.alloc(size));
    if (at + size > POOL_BYTES) [pool, at] = [cipher.update(ZEROS), 0];
    return Buffer.from(pool.subarray(at, (at += size)));
  };
}

/** The stream that this process was given; what a shell starts in between has the same variable, so it adds its own number. */
function ownStream() {
  const [parent, name] = process.env[STREAM]?.split(' ') ?? [];
  return Number(parent) === process.ppid ? name : name && `${name} ${process.pid}`;
}

const given = ownStream();
let draw = openStream(`${given ?? 'start'} ${threadId}`);
const begun = new Map();

/** Begins the stream of a test file or a test; one that runs again gets another. */
exports.begin = (name) => {
  const times = (begun.get(name) ?? 0) + 1;
  begun.set(name, times);
  draw = openStream(`${name} ${times}`);
};

/** A number from 0 up to 1. */
const random = () => draw(6).readUIntBE(0, 6) / 2 ** 48;

/** Calls back as Node does, if there is somebody to call. */
const answer = (value, callback) => (callback ? process.nextTick(callback, null, value) : value);

function fill(view) {
  draw(view.byteLength).copy(Buffer.from(view.buffer, view.byteOffset, view.byteLength));
  return view;
}

function randomInt(min, max, callback) {
  if (max === undefined || typeof max === 'function') return randomInt(0, min, max);
  return answer(min + Math.floor(random() * (max - min)), callback);
}

function randomUUID() {
  const bytes = draw(16);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** A process of a test draws from a stream of its own. */
function spawnSeeded(spawn) {
  return function (options) {
    const variables = new Map((options.envPairs ?? []).map((pair) => [pair.split('=', 1)[0], pair]));
    const node = variables.get('NODE_OPTIONS')?.slice('NODE_OPTIONS='.length) ?? '';
    const own = `--require=${JSON.stringify(__filename)}`;
    const added = {
      [SEED]: process.env[SEED],
      [STREAM]: `${process.pid} ${draw(8).toString('hex')}`,
      NODE_OPTIONS: node.includes(own) ? node : `${node} ${own}`.trim(),
      ...(process.env.TEST_SLOW && { TEST_SLOW: process.env.TEST_SLOW }),
    };
    for (const [name, value] of Object.entries(added)) variables.set(name, `${name}=${value}`);
    return spawn.call(this, { ...options, envPairs: [...variables.values()] });
  };
}

if (process.env[SEED] !== undefined) {
  Math.random = random;
  const randomBytes = (size, callback) => answer(draw(size), callback);
  Object.assign(crypto, { randomBytes, randomFillSync: fill, randomInt, randomUUID });
  Object.assign(Object.getPrototypeOf(globalThis.crypto), { getRandomValues: fill, randomUUID });
  ChildProcess.prototype.spawn = spawnSeeded(ChildProcess.prototype.spawn);
  syncBuiltinESMExports();
  if (process.env.TEST_SLOW)
    require('./slow.cjs').slowDown(openStream(`slow ${given ?? process.env.JEST_WORKER_ID} ${threadId}`));
}
