import type { Application } from 'express';
import { confirmSubscriptions, previewConfirmation } from '../../alerts/subscriptions/confirm.service.ts';
import type { Confirmation } from '../../alerts/subscriptions/confirm.service.ts';
import type { Services } from '../../context.ts';
import { escapeHtml } from '../../platform/text.ts';
import { joinLabels } from '../../shoppers/contacts/contact.rules.ts';
import type { AdmitLink } from '../authenticate.ts';
import { serveTokenPages, tokenPage } from './token-page.ts';
import type { TokenPage } from './token-page.ts';

const GONE = tokenPage(
  'This link does not work any more',
  '<p>It is incomplete or too old. Please ask for the alert again.</p>',
);

function question({ store, contact, pending, topics }: Confirmation): TokenPage {
  if (pending === 0)
    return tokenPage(
      'All confirmed',
      `<p>There is nothing left to confirm for ${escapeHtml(contact)}.</p>`,
      store,
    );
  const alerts = topics.length === 0 ? 'product alerts' : `${joinLabels(topics)} alerts`;
  return tokenPage(
    'Confirm your alerts',
    `<p>${escapeHtml(`${store.name} will send ${alerts} to ${contact}.`)}</p><form method="post"><button class="button primary" type="submit">Confirm</button></form>`,
    store,
  );
}

function thanks({ store, contact }: Confirmation): TokenPage {
  const text = `${store.name} will send the alerts you asked for to ${contact}.`;
  return tokenPage('Thank you', `<p role="status">${escapeHtml(text)}</p>`, store);
}

/** Serves confirmation links; SMS has the short path. Only the button confirms: mail scanners follow links, but press nothing. */
export function serveConfirm(app: Application, services: Services, admitLink: AdmitLink): void {
  serveTokenPages(app, admitLink, ['/confirm/:token', '/c/:token'], GONE, {
    get: async (token) => {
      const confirmation = await previewConfirmation(services, token);
      return confirmation && question(confirmation);
    },
    post: async (token) => {
      const confirmation = await confirmSubscriptions(services, token);
      return confirmation && thanks(confirmation);
    },
  });
}
