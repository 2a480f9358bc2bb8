import type { Application } from 'express';
import type { Services } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { NO_CREDENTIALS } from '../shoppers/authenticate.service.ts';
import { receiveWebhook } from '../stores/catalogue/shopify.service.ts';
import { nameRoute, traceOf } from './access-log.ts';
import { admit } from './admit.ts';
import { headerText } from './authenticate.ts';
import { readBody } from './rest/body.ts';

const ROUTE = '/webhooks/shopify/:pid';

/** The signature is the only credential. */
export function serveShopify(app: Application, services: Services): void {
  app.post(ROUTE, async (req, res) => {
    nameRoute(res, ROUTE);
    if (!req.is('application/json')) fail('unsupported-content-type', 'Send the webhook as application/json');
    const body = await readBody(req, res);
    await admit(services, req, res, NO_CREDENTIALS);
    const pid = String(req.params['pid']);
    const result = await receiveWebhook(services, {
      pid,
      topic: headerText(req, 'x-shopify-topic'),
      webhookId: headerText(req, 'x-shopify-webhook-id'),
      signature: headerText(req, 'x-shopify-hmac-sha256'),
      shopDomain: headerText(req, 'x-shopify-shop-domain'),
      triggeredAt: headerText(req, 'x-shopify-triggered-at'),
      body,
    });
    // The signature is valid, so the text is a pid and not user input.
    traceOf(res).store = pid;
    res.json(result);
  });
}
