import type { Db } from '../../platform/database/database.ts';
import { readRecord, readSection } from './export.repo.ts';
import type { SectionName } from './export.repo.ts';
import { findMessages } from './privacy.repo.ts';
import type { Subject } from './privacy.rules.ts';

/** Everything about a shopper in one JSON text, in pieces of at most a few megabytes: whoever writes them holds no more than one. */
export async function* exportPieces(db: Db, subject: Subject, exportedAt: Date): AsyncGenerator<string> {
  yield `{"exportedAt":${exportedAt.getTime()},"data":{"shopper":${await readRecord(db, subject)}`;
  yield* inArray('lists', listTexts(db, subject, 'lists', 'items'));
  yield* inArray('deletedLists', listTexts(db, subject, 'deletedLists', 'itemsOfDeleted'));
  yield* inArray('deletedItems', texts(readSection(db, subject, 'deletedItems')));
  yield* inArray('listsMadeFor', texts(readSection(db, subject, 'listsMadeFor')));
  yield* inArray('subscriptions', texts(readSection(db, subject, 'subscriptions')));
  yield* inArray('subscriptionRequests', texts(readSection(db, subject, 'subscriptionRequests')));
  yield* inArray('confirmations', texts(readSection(db, subject, 'confirmations')));
  yield* inArray('mailingList', texts(readSection(db, subject, 'mailingList')));
  yield* inArray('messages', texts(findMessages(db, subject)));
  yield* inArray('alertsReceived', texts(readSection(db, subject, 'alertsReceived')));
  yield* inArray('optOuts', texts(readSection(db, subject, 'optOuts')));
  yield* inArray('alertsLeft', texts(readSection(db, subject, 'alertsLeft')));
  yield* inArray('stops', texts(readSection(db, subject, 'stops')));
  yield* inArray('clicks', texts(readSection(db, subject, 'clicks')));
  yield* inArray('orders', texts(readSection(db, subject, 'orders')));
  yield* inArray('notMeasured', texts(readSection(db, subject, 'notMeasured')));
  yield '}}';
}

/** A text of one element or of several with commas between, or of a part of one; the next element begins where `isNew`. */
type Piece = { text: string; isNew: boolean };

async function* inArray(name: string, pieces: AsyncIterable<Piece>): AsyncGenerator<string> {
  yield `,"${name}":[`;
  let isFirst = true;
  for await (const { text, isNew } of pieces) {
    yield isNew && !isFirst ? `,${text}` : text;
    isFirst = false;
  }
  yield ']';
}

async function* texts(portions: AsyncIterable<{ json: string }[]>): AsyncGenerator<Piece> {
  for await (const rows of portions) yield { text: rows.map(({ json }) => json).join(','), isNew: true };
}

/** Lists with their items, which are read apart: one list can hold more than a piece should. */
async function* listTexts(
  db: Db,
  subject: Subject,
  lists: SectionName,
  items: SectionName,
): AsyncGenerator<Piece> {
  for await (const rows of readSection(db, subject, lists)) {
    for (const { json, lid } of rows) {
      yield { text: json.slice(0, -1), isNew: true };
      for await (const text of inArray('items', texts(readSection(db, subject, items, lid))))
        yield { text, isNew: false };
      yield { text: '}', isNew: false };
    }
  }
}
