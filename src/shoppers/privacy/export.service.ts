import type { Db } from '../../platform/database/database.ts';
import { readSection } from './export.repo.ts';
import type { SectionName } from './export.repo.ts';
import { findMessages } from './privacy.repo.ts';
import type { Subject } from './privacy.rules.ts';

/** Everything about a shopper as one JSON text, in chunks of at most a few megabytes. */
export async function* exportChunks(db: Db, subject: Subject, exportedAt: Date): AsyncGenerator<string> {
  const section = (name: SectionName) => inArray(name, rowChunks(readSection(db, subject, name)));
  let shopper = 'null';
  for await (const [row] of readSection(db, subject, 'shopper')) shopper = row!.json;
  yield `{"exportedAt":${exportedAt.getTime()},"data":{"shopper":${shopper}`;
  yield* inArray('lists', listChunks(db, subject, 'lists', 'items'));
  yield* inArray('deletedLists', listChunks(db, subject, 'deletedLists', 'itemsOfDeleted'));
  yield* section('deletedItems');
  yield* section('listsMadeFor');
  yield* section('subscriptions');
  yield* section('subscriptionRequests');
  yield* section('confirmations');
  yield* section('mailingList');
  yield* inArray('messages', rowChunks(findMessages(db, subject)));
  yield* section('alertsReceived');
  yield* section('optOuts');
  yield* section('alertsLeft');
  yield* section('stops');
  yield* section('clicks');
  yield* section('orders');
  yield* section('notMeasured');
  yield '}}';
}

/** Elements of an array with commas between them, or a part of one; `isNew` where the next element begins. */
type ArrayChunk = { text: string; isNew: boolean };

async function* inArray(name: string, chunks: AsyncIterable<ArrayChunk>): AsyncGenerator<string> {
  yield `,"${name}":[`;
  let isFirst = true;
  for await (const { text, isNew } of chunks) {
    yield isNew && !isFirst ? `,${text}` : text;
    isFirst = false;
  }
  yield ']';
}

async function* rowChunks(batches: AsyncIterable<{ json: string }[]>): AsyncGenerator<ArrayChunk> {
  for await (const rows of batches) yield { text: rows.map(({ json }) => json).join(','), isNew: true };
}

/** Items are read separately from their lists: one list can have more than a chunk should. */
async function* listChunks(
  db: Db,
  subject: Subject,
  lists: SectionName,
  items: SectionName,
): AsyncGenerator<ArrayChunk> {
  for await (const rows of readSection(db, subject, lists)) {
    for (const { json, lid } of rows) {
      yield { text: json.slice(0, -1), isNew: true };
      for await (const text of inArray('items', rowChunks(readSection(db, subject, items, lid))))
        yield { text, isNew: false };
      yield { text: '}', isNew: false };
    }
  }
}
