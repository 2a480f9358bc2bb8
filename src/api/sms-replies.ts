import type { Application } from 'express';
import { MEDIA, channelOf } from '../alerts/send/channels.ts';
import type { Services } from '../context.ts';
import { NO_CREDENTIALS } from '../shoppers/authenticate.service.ts';
import { receiveReply } from '../shoppers/contacts/opt-out.service.ts';
import { nameRoute } from './access-log.ts';
import { admit } from './admit.ts';
import { parseUrlEncoded, readFormBody } from './rest/body.ts';

/** With an empty reply, the provider sends nothing back. */
const NO_REPLY = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

/** Every reply gets the same response. */
export function serveReplies(app: Application, services: Services): void {
  for (const medium of MEDIA.filter((one) => channelOf(one).replies)) {
    const route = `/webhooks/${medium}`;
    app.post(route, async (req, res) => {
      nameRoute(res, route);
      const fields = parseUrlEncoded(await readFormBody(req, res));
      await admit(services, req, res, NO_CREDENTIALS);
      // The address that is configured at the provider, which signs it; a Host header can say anything.
      const url = `${services.config.publicUrl}${req.originalUrl}`;
      const headers = req.headers as Record<string, string | undefined>;
      await receiveReply(services, medium, { url, headers, fields });
      res.type('text/xml').send(NO_REPLY);
    });
  }
}
