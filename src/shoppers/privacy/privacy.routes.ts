import { ExportShopperDocument } from '../../generated/operations.ts';
import { text } from '../../platform/route/form.ts';
import { route } from '../../platform/route/route.ts';
import type { RouteTable } from '../../platform/route/route.ts';
import { streamExport } from './privacy.service.ts';

/** REST calls about personal data. */
export const privacyRoutes = {
  'POST /storeadmin/v3/user/export': route(ExportShopperDocument, {
    summary: "Export a shopper's data",
    description:
      'Export all data about a shopper, identified by email address, external id or regid, as JSON of any size. The export is recorded in the audit log.',
    form: { useremail: text, externalid: text.unusual, regid: text.unusual },
    needsOneOf: ['useremail', 'externalid', 'regid'],
    stream: { type: 'application/json', write: streamExport },
  }),
} satisfies RouteTable;
