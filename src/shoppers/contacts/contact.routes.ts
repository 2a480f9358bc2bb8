import { MailingListDocument } from '../../generated/operations.ts';
import { count, fixed, flag, text, word } from '../../platform/route/form.ts';
import { route } from '../../platform/route/route.ts';
import type { RouteTable } from '../../platform/route/route.ts';
import { streamMailingList } from './mailing-list.service.ts';

const which = { medium: word, acceptmarketing: flag };

export const contactRoutes = {
  'GET /storeadmin/v3/mailinglist': route(MailingListDocument, {
    caller: 'store',
    summary: 'Answers a page of those who said yes to the mailing list',
    form: { ...which, first: count, after: text.unusual },
    reply: 'mailingList',
  }),
  'GET /storeadmin/v3/mailinglist.csv': route(MailingListDocument, {
    caller: 'store',
    summary: 'Streams all who said yes to the mailing list as CSV, whatever their number',
    form: { ...which, first: fixed(null), after: fixed(null) },
    stream: { type: 'text/csv', write: streamMailingList },
    reply: 'mailingList',
  }),
} satisfies RouteTable;
