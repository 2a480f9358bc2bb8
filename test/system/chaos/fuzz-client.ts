import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { startPatience } from './patience.ts';

/** An answer as it came over the wire. */
export type WireAnswer = { status: number; headers: string; body: string };

/** Nothing takes longer to be answered, or to be closed. */
const LIMIT_MS = 30_000;
const HEAD_END = Buffer.from('\r\n\r\n');

function unchunk(bytes: Buffer): { body: Buffer; end: number } | null {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return null;
    const size = parseInt(bytes.toString('latin1', at, lineEnd), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return null;
    if (size === 0) return { body: Buffer.concat(parts), end: next };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}

/** The first whole answer in these bytes, and how long it is; null while it is not whole. */
export function readAnswer(bytes: Buffer): { answer: WireAnswer; length: number } | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(head.slice(9, 12));
  const rest = bytes.subarray(headEnd + 4);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  const isChunked = /\r\ntransfer-encoding: *chunked/i.test(head);
  const hasNone = status < 200 || status === 204 || status === 304;
  const read = isChunked
    ? unchunk(rest)
    : { body: rest.subarray(0, Number(length ?? 0)), end: hasNone ? 0 : Number(length ?? 0) };
  if (read === null || rest.length < read.end) return null;
  return {
    answer: { status, headers: head, body: hasNone ? '' : read.body.toString('utf8') },
    length: headEnd + 4 + read.end,
  };
}

/** A connection that carries one request after the other, and a new one when the server closed it. */
export function createConnection(port: number) {
  let socket: Socket | null = null;
  const open = (): Socket => (socket ??= connect(port, '127.0.0.1').setNoDelay());
  return {
    /** The answer to a whole request; null when none came in time or the connection was closed without one. */
    ask: (bytes: Buffer): Promise<WireAnswer | null> =>
      new Promise((resolve) => {
        const used = open();
        let received = Buffer.alloc(0);
        const end = (answer: WireAnswer | null): void => {
          patience.end();
          used.removeAllListeners().on('error', () => undefined);
          if (answer === null || /\r\nconnection: *close/i.test(answer.headers)) {
            used.destroy();
            socket = null;
          } else used.once('close', () => (socket === used ? (socket = null) : null));
          resolve(answer);
        };
        const patience = startPatience(LIMIT_MS, () => end(null));
        used.removeAllListeners();
        used.on('data', (chunk) => {
          received = Buffer.concat([received, chunk]);
          const whole = readAnswer(received);
          if (whole) end(whole.answer);
        });
        used.on('error', () => end(null)).on('close', () => end(null));
        used.write(bytes);
      }),
    close: () => socket?.destroy(),
  };
}

/** Sends bytes that need not be HTTP on a connection of their own and says no more; all that is answered until the server closes it. */
export function sendRaw(port: number, bytes: Buffer): Promise<WireAnswer[] | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    let isLate = false;
    const patience = startPatience(LIMIT_MS, () => {
      isLate = true;
      socket.destroy();
    });
    socket.on('data', (chunk) => (received = Buffer.concat([received, chunk])));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      patience.end();
      const answers: WireAnswer[] = [];
      for (let whole = readAnswer(received); whole; whole = readAnswer(received)) {
        answers.push(whole.answer);
        received = received.subarray(whole.length);
      }
      resolve(isLate ? null : answers);
    });
    socket.end(bytes);
  });
}
