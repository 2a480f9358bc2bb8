import type { Application } from 'express';
import type { Services } from '../../context.ts';
import { escapeHtml } from '../../platform/text.ts';
import type { UnsubscribeView } from '../../shoppers/contacts/opt-out.service.ts';
import { setTrackingByLink } from '../../stores/revenue/click.service.ts';
import type { AdmitLink } from '../authenticate.ts';
import { BROKEN_LINK, serveTokenPages, tokenPage } from './token-page.ts';
import type { TokenPage } from './token-page.ts';

const CHOICES = new Map([
  ['do-not-measure', false],
  ['measure', true],
]);

/** The button by which a contact opts out of click tracking, or in again; no account is needed. */
export function trackingForm(token: string, measured: boolean): string {
  const [words, choice, why] = measured
    ? ['Measure my clicks again', 'measure', 'The shop learns from clicks which alerts are of use.']
    : ['Do not measure my clicks', 'do-not-measure', 'Links in alerts count when they are opened.'];
  const action = `/unsubscribe/${encodeURIComponent(token)}/${choice}`;
  return `<form class="aside" method="post" action="${escapeHtml(action)}"><p class="quiet">${why}</p><button class="button">${words}</button></form>`;
}

function done({ store, contact }: UnsubscribeView, token: string, measured: boolean): TokenPage {
  const what = measured
    ? `${store.name} counts again when ${contact} opens the link of an alert.`
    : `Links in alerts to ${contact} lead straight to ${store.name} from now on, and nothing is counted.`;
  const status = `<p role="status">${escapeHtml(what)}</p>`;
  return tokenPage('Done', status + trackingForm(token, !measured), store);
}

export function serveTrackingChoice(app: Application, services: Services, admitLink: AdmitLink): void {
  serveTokenPages(app, admitLink, ['/unsubscribe/:token/:choice'], BROKEN_LINK, {
    post: async (token, req) => {
      const measured = CHOICES.get(String(req.params['choice']));
      if (measured === undefined) return null;
      const view = await setTrackingByLink(services, token, measured);
      return view && done(view, token, measured);
    },
  });
}
