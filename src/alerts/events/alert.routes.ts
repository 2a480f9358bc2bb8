import { AlertsDocument } from '../../generated/operations.ts';
import { fixed, moment, text, word } from '../../platform/route/form.ts';
import { route } from '../../platform/route/route.ts';
import type { RouteTable } from '../../platform/route/route.ts';
import { streamAlerts } from './alert-log.service.ts';

export const alertRoutes = {
  'GET /storeadmin/v3/alerts.csv': route(AlertsDocument, {
    summary: 'Export alerts as CSV',
    description: 'Export the alerts of the last 30 days as CSV, newest first.',
    form: {
      state: word.unusual,
      topic: text.unusual,
      from: moment.unusual,
      to: moment.unusual,
      search: text.unusual,
      first: fixed(null),
      after: fixed(null),
    },
    stream: { type: 'text/csv', write: streamAlerts },
  }),
} satisfies RouteTable;
