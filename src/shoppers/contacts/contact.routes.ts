import { MailingListDocument } from '../../generated/operations.ts';
import { count, fixed, flag, text, word } from '../../platform/route/form.ts';
import { route } from '../../platform/route/route.ts';
import type { RouteTable } from '../../platform/route/route.ts';
import { streamMailingList } from './mailing-list.service.ts';

const which = { medium: word, acceptmarketing: flag };

export const contactRoutes = {
  'GET /storeadmin/v3/mailinglist': route(MailingListDocument, {
    summary: 'List mailing-list contacts',
    form: { ...which, first: count, after: text.unusual },
  }),
  'GET /storeadmin/v3/mailinglist.csv': route(MailingListDocument, {
    summary: 'Export mailing-list contacts as CSV',
    description: 'Export all contacts who opted in to the mailing list, or out of it, as CSV.',
    form: { ...which, first: fixed(null), after: fixed(null) },
    stream: { type: 'text/csv', write: streamMailingList },
  }),
} satisfies RouteTable;
