import { ReportOrderDocument, RevenueDocument, SetMeasuredDocument } from '../../generated/operations.ts';
import { count, flag, json, moment, text } from '../../platform/route/form.ts';
import { route } from '../../platform/route/route.ts';
import type { RouteTable } from '../../platform/route/route.ts';
import { streamRevenue } from './revenue.service.ts';

export const revenueRoutes = {
  'POST /storeadmin/v3/orders/report': route(ReportOrderDocument, {
    caller: 'store',
    summary: 'Report an order',
    form: {
      input: {
        orderId: text.required,
        orderedAt: moment.unusual,
        currency: text.required,
        lines: json.required,
        regid: text.unusual,
        useremail: text,
        phone: text.unusual,
        click: text.unusual,
      },
    },
    reply: 'reportOrder',
  }),
  'GET /storeadmin/v3/revenue': route(RevenueDocument, {
    caller: 'store',
    summary: 'Get revenue',
    form: { days: count.unusual, from: text.unusual, to: text.unusual },
    reply: 'revenue',
  }),
  'GET /storeadmin/v3/revenue.csv': route(RevenueDocument, {
    caller: 'store',
    summary: 'Export revenue as CSV',
    description: 'Export the revenue from alerts and lists as CSV, with one row for each day and currency.',
    form: { days: count.unusual, from: text.unusual, to: text.unusual },
    stream: { type: 'text/csv', write: streamRevenue },
    reply: 'revenue',
  }),
  'POST /api/v3/shopper/set-measured': route(SetMeasuredDocument, {
    summary: 'Allow or decline click tracking',
    form: { measured: flag.required },
    reply: 'setMeasured',
  }),
} satisfies RouteTable;
