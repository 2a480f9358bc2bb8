import { ListChangesDocument } from '../generated/operations.ts';
import { count, text } from '../platform/route/form.ts';
import { route } from '../platform/route/route.ts';
import type { RouteTable } from '../platform/route/route.ts';

export const liveRoutes = {
  'POST /api/v3/lists/changes': route(ListChangesDocument, {
    caller: 'shopper',
    summary:
      'Which lists changed since a revision; while none has, the answer waits for a change, and comes with the same `rev` and no `lids` when the time is over',
    form: { since: text.unusual, wait: count.unusual },
    reply: 'listChanges',
  }),
} satisfies RouteTable;
