import type { Application, Request } from 'express';
import { MEDIA, channelOf } from '../alerts/send/channels.ts';
import type { Services } from '../context.ts';
import { receiveReply } from '../shoppers/contacts/opt-out.service.ts';
import { nameRoute } from './access-log.ts';
import type { Admission } from './authenticate.ts';
import { readFormBody } from './rest/body.ts';
import { parseUrlEncoded } from './rest/urlencoded.ts';

/** What a provider takes for: nothing is to be sent back. */
const NO_REPLY = '<?xml version="1.0" encoding="UTF-8"?><Response/>';

function headersOf(req: Request): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(req.headers).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Serves the addresses at which providers tell what people answered to messages. All answers are the same, whoever wrote and whatever it said. */
export function serveAnswers(app: Application, services: Services, enter: Admission['enter']): void {
  for (const medium of MEDIA.filter((one) => channelOf(one).answers)) {
    const route = `/webhooks/${medium}`;
    app.post(route, async (req, res) => {
      nameRoute(res, route);
      const fields = parseUrlEncoded(await readFormBody(req, res));
      await enter(req, res);
      // The address that the provider was told, and signs; a Host header can say anything.
      const url = `${services.config.publicUrl}${req.originalUrl}`;
      await receiveReply(services, medium, { url, headers: headersOf(req), fields });
      res.type('text/xml').send(NO_REPLY);
    });
  }
}
