import type { ExecutionResult } from 'graphql';
import { stringifyJson } from '../../platform/json.ts';

/** How the messages of a stream are written. A stream that ends without `end` broke off, and clients reconnect. */
export type Framing = {
  type: string;
  start: string;
  /** Keeps the connection open while nothing changes. */
  ping: string;
  message: (result: ExecutionResult) => string;
  /** The message with the error that ends the stream. */
  lastError: (result: ExecutionResult) => string;
  end: string;
};

const sseMessage = (result: ExecutionResult): string => `event: next\ndata: ${stringifyJson(result)}\n\n`;

/** GraphQL over SSE, distinct connections mode. */
export const SSE: Framing = {
  type: 'text/event-stream; charset=utf-8',
  // Some browsers report the response only after its first bytes.
  start: ':\n\n',
  ping: ':\n\n',
  message: sseMessage,
  lastError: sseMessage,
  end: 'event: complete\ndata:\n\n',
};

/** A client reads a part when the next boundary arrives, so each part brings the one that follows it. */
const part = (body: unknown): string =>
  `\r\nContent-Type: application/json\r\n\r\n${stringifyJson(body)}\r\n--graphql`;

/** Apollo's multipart protocol for subscriptions over HTTP. */
export const MULTIPART: Framing = {
  type: 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0',
  start: '\r\n--graphql',
  ping: part({}),
  message: (payload) => part({ payload }),
  lastError: ({ errors }) => part({ payload: null, errors }),
  end: '--\r\n',
};

const ASKS_FOR_PARTS = /multipart\/mixed[^,]*;\s*subscriptionSpec\s*=\s*"?1\.0\b/i;

/** Null where the caller accepts no stream. */
export function framingFor(accept = ''): Framing | null {
  if (ASKS_FOR_PARTS.test(accept)) return MULTIPART;
  return /text\/event-stream/i.test(accept) ? SSE : null;
}

/** At /graphql, a caller that prefers another type gets no events: some clients always accept them as well. */
export const isStreamAccepted = (accept = ''): boolean =>
  ASKS_FOR_PARTS.test(accept) || /^\s*text\/event-stream/i.test(accept);
