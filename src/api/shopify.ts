import type { Application, Request } from 'express';
import type { Services } from '../context.ts';
import { receiveWebhook } from '../stores/catalogue/shopify.service.ts';
import { fail } from '../platform/errors.ts';
import { nameRoute, traceOf } from './access-log.ts';
import type { Admission } from './authenticate.ts';
import { readBody } from './rest/body.ts';

const ROUTE = '/webhooks/shopify/:pid';
const JSON_TYPE = /^application\/json\s*(;|$)/i;

function header(req: Request, name: string): string {
  const value = req.headers[name];
  return typeof value === 'string' ? value : '';
}

/** Serves the address that Shopify calls. The signature is the only credential. */
export function serveShopify(app: Application, services: Services, enter: Admission['enter']): void {
  app.post(ROUTE, async (req, res) => {
    nameRoute(res, ROUTE);
    if (!JSON_TYPE.test(header(req, 'content-type')))
      fail('unsupported-content-type', 'Send the webhook as application/json');
    const body = await readBody(req, res);
    await enter(req, res);
    const pid = String(req.params['pid']);
    const answer = await receiveWebhook(services, {
      pid,
      topic: header(req, 'x-shopify-topic'),
      webhookId: header(req, 'x-shopify-webhook-id'),
      signature: header(req, 'x-shopify-hmac-sha256'),
      shopDomain: header(req, 'x-shopify-shop-domain'),
      triggeredAt: header(req, 'x-shopify-triggered-at'),
      body,
    });
    // The signature was right, so the text is a pid and nobody's typing.
    traceOf(res).store = pid;
    res.json(answer);
  });
}
