import type { Application, Request, Response } from 'express';
import type { Services } from '../../context.ts';
import { pidOfLink } from '../../shoppers/contacts/link.rules.ts';
import { confirmSubscriptions, previewConfirmation } from '../../alerts/subscriptions/confirm.service.ts';
import type { Confirmation } from '../../alerts/subscriptions/confirm.service.ts';
import { joinLabels } from '../../shoppers/contacts/contact.rules.ts';
import { nameRoute } from '../access-log.ts';
import type { AdmitLink } from '../authenticate.ts';
import { linkedPage, sendLinkedPage } from './token-page.ts';
import type { LinkedPage } from './token-page.ts';
import { escapeHtml } from '../../platform/text.ts';

const ROUTE = '/confirm/:token';
/** The same from a text message, where every character counts. */
const SHORT_ROUTE = '/c/:token';

const GONE = linkedPage(
  'This link does not work any more',
  '<p>It is incomplete or too old. Please ask for the alert again.</p>',
);

/** What will be sent, in words. */
function alertsOf({ topics }: Confirmation): string {
  return topics.length === 0 ? 'product alerts' : `${joinLabels(topics)} alerts`;
}

function question(confirmation: Confirmation): LinkedPage {
  const { store, contact, pending } = confirmation;
  if (pending === 0)
    return linkedPage(
      'All confirmed',
      `<p>There is nothing left to confirm for ${escapeHtml(contact)}.</p>`,
      store,
    );
  const what = `${store.name} will send ${alertsOf(confirmation)} to ${contact}.`;
  return linkedPage(
    'Confirm your alerts',
    `<p>${escapeHtml(what)}</p><form method="post"><button class="button primary" type="submit">Confirm</button></form>`,
    store,
  );
}

function thanks({ store, contact }: Confirmation): LinkedPage {
  const what = `${store.name} will send the alerts you asked for to ${contact}.`;
  return linkedPage('Thank you', `<p role="status">${escapeHtml(what)}</p>`, store);
}

/** Serves the page of confirmation links. Only its button confirms: mail scanners follow links, they press nothing. */
export function serveConfirm(app: Application, services: Services, admitLink: AdmitLink): void {
  const admitToken = async (req: Request, res: Response): Promise<string> => {
    nameRoute(res, ROUTE);
    const token = String(req.params['token']);
    await admitLink(req, res, pidOfLink(token) ?? '');
    return token;
  };
  app.get([ROUTE, SHORT_ROUTE], async (req, res) => {
    const confirmation = await previewConfirmation(services, await admitToken(req, res));
    sendLinkedPage(res, confirmation ? 200 : 404, confirmation ? question(confirmation) : GONE);
  });
  app.post([ROUTE, SHORT_ROUTE], async (req, res) => {
    const confirmation = await confirmSubscriptions(services, await admitToken(req, res));
    sendLinkedPage(res, confirmation ? 200 : 404, confirmation ? thanks(confirmation) : GONE);
  });
}
