import type { Application } from 'express';
import type { Services } from '../../context.ts';
import { pidOfLink } from '../../shoppers/contacts/link.rules.ts';
import type { UnsubscribeView } from '../../shoppers/contacts/opt-out.service.ts';
import { setTrackingByLink } from '../../stores/revenue/click.service.ts';
import { escapeHtml } from '../../platform/text.ts';
import { nameRoute } from '../access-log.ts';
import type { AdmitLink } from '../authenticate.ts';
import { linkedPage, sendLinkedPage } from './token-page.ts';
import type { LinkedPage } from './token-page.ts';

const ROUTE = '/unsubscribe/:token/:choice';
const CHOICES: Record<string, boolean> = { 'do-not-measure': false, measure: true };

const UNKNOWN = linkedPage(
  'This link does not work',
  '<p>It is incomplete or was not made by us. Please open the link from the message again.</p>',
);

/** The button by which a contact declines to be measured, or allows it again; no account is needed. */
export function measuringForm(token: string, measured: boolean): string {
  const [words, choice, why] = measured
    ? ['Measure my clicks again', 'measure', 'The shop learns from clicks which alerts are of use.']
    : ['Do not measure my clicks', 'do-not-measure', 'Links in alerts count when they are opened.'];
  const action = `/unsubscribe/${encodeURIComponent(token)}/${choice}`;
  return `<form class="aside" method="post" action="${escapeHtml(action)}"><p class="quiet">${why}</p><button class="button">${words}</button></form>`;
}

function done({ store, contact }: UnsubscribeView, token: string, measured: boolean): LinkedPage {
  const what = measured
    ? `${store.name} counts again when ${contact} opens the link of an alert.`
    : `Links in alerts to ${contact} lead straight to ${store.name} from now on, and nothing is counted.`;
  const status = `<p role="status">${escapeHtml(what)}</p>`;
  return linkedPage('Done', status + measuringForm(token, !measured), store);
}

/** Takes the choice of the page behind an unsubscribe link. */
export function serveMeasuring(app: Application, services: Services, admitLink: AdmitLink): void {
  app.post(ROUTE, async (req, res) => {
    nameRoute(res, ROUTE);
    const { token, choice } = req.params;
    await admitLink(req, res, pidOfLink(token) ?? '');
    const measured = Object.hasOwn(CHOICES, choice) ? CHOICES[choice]! : null;
    const view = measured === null ? null : await setTrackingByLink(services, token, measured);
    sendLinkedPage(res, view ? 200 : 404, view ? done(view, token, measured!) : UNKNOWN);
  });
}
