/**
 * SQL: a part of statements that move any number of items. It queues one event an item of `source` for each webhook that listens; of the parameters, the first is the store, and the
 * event's type, the owner's id and the time follow from the number `first`. The same rows as `emitEvents` would write.
 */
export const insertItemEvents = (source: string, first: number): string => `
  INSERT INTO outbox (pid, id, lane, kind, recipient, payload, due_at, cts)
  SELECT w.pid, gen_random_uuid()::text, 'webhook', $${first}::text, w.id, jsonb_build_object(
    'type', $${first}::text, 'timestamp', $${first + 2}::text, 'data', jsonb_build_object(
      'lid', i.lid, 'id', i.id, 'epi', i.epi, 'empi', i.empi, 'du', i.du, 'qty', i.qty, 'uid', $${first + 1}::text)),
    $${first + 2}::text::timestamptz, $${first + 2}::text::timestamptz
  FROM webhook w CROSS JOIN ${source} i WHERE w.pid = $1 AND $${first}::text = ANY (w.events)
  ORDER BY i.seq`;
