// COPY … FROM STDIN over pg, which leaves it to others. Rows go out as fast as PostgreSQL takes them.
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';

/** What of pg's connection COPY needs; its types do not know the half of it. */
type CopyConnection = {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
  stream: Socket;
};

/** Sends rows in the text form of COPY; `text` is the COPY statement. Resolves when PostgreSQL has them all. */
export function copyFrom(
  client: pg.ClientBase,
  text: string,
  chunks: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | null = null;
    const send = async (connection: CopyConnection): Promise<void> => {
      try {
        for await (const chunk of chunks) {
          if (failure) return;
          connection.sendCopyFromChunk(Buffer.from(chunk));
          if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain');
        }
        connection.endCopyFrom();
      } catch (error) {
        connection.sendCopyFail(String(error));
      }
    };
    // The members that pg calls on a query, by their names.
    client.query({
      submit: (connection: CopyConnection) => connection.query(text),
      handleCopyInResponse: (connection: CopyConnection) => void send(connection),
      handleError: (error: Error) => reject((failure = error)),
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => (failure ? undefined : resolve()),
    } as unknown as pg.Submittable);
  });
}
