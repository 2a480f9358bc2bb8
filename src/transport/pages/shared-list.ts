import type { Application } from 'express';
import type { Services } from '../../context.ts';
import type { ItemRow } from '../../domain/item/item.columns.ts';
import { storeOfSharedList, viewSharedList } from '../../domain/list/share.service.ts';
import type { SharedList } from '../../domain/list/share.service.ts';
import { nameRoute } from '../access-log.ts';
import type { AdmitLink } from '../admission.ts';
import { linkedPage, sendLinkedPage } from './linked-page.ts';
import { escapeHtml } from '../../shared/text.ts';

const ROUTE = '/shared/:lid';
const MAX_PARAM = 200;

const MISSING = linkedPage(
  'There is no such list',
  '<p>It is private or was deleted, or the link is incomplete. Please ask the person who sent it.</p>',
);

/** An address outside of this service; a relative one belongs to a shop whose address nobody told us. */
function absolute(address: string | null): string | null {
  return address !== null && /^https?:\/\//i.test(address) ? address : null;
}

function itemHtml({ dt, epi, du, uri, iu, bt, vi, qty, note }: ItemRow): string {
  const title = escapeHtml(dt ?? epi);
  const link = absolute(uri) ?? absolute(du);
  const image = absolute(iu);
  const name = link ? `<a href="${escapeHtml(link)}" rel="noopener noreferrer nofollow">${title}</a>` : title;
  const details = [bt, vi, qty > 1 ? `quantity ${qty}` : null, note].filter((text) => text);
  return `<li>${image ? `<img src="${escapeHtml(image)}" alt="" loading="lazy">` : ''}<div>${name}
${details.length > 0 ? `<p class="quiet">${details.map((text) => escapeHtml(text!)).join(' · ')}</p>` : ''}</div></li>`;
}

function listHtml({ storeName, lname, lnote, cnt, items }: SharedList): string {
  const more = cnt > items.length ? `<p class="quiet">and ${cnt - items.length} more</p>` : '';
  const body =
    items.length > 0 ? `<ul>${items.map(itemHtml).join('')}</ul>${more}` : '<p>The list is empty.</p>';
  const note = lnote ? `<p>${escapeHtml(lnote)}</p>` : '';
  return linkedPage(lname, `<p class="quiet">A list from ${escapeHtml(storeName)}</p>${note}${body}`);
}

/** Serves public lists to people who got a link: read only, without login or script. */
export function serveSharedLists(app: Application, services: Services, admitLink: AdmitLink): void {
  app.get(ROUTE, async (req, res) => {
    nameRoute(res, ROUTE);
    const { lid } = req.params;
    const isFine = lid.length <= MAX_PARAM && !lid.includes('\u0000');
    const { pid = isFine ? await storeOfSharedList(services, lid) : '' } = req.query;
    const ctx = await admitLink(req, res, typeof pid === 'string' ? pid : '');
    const list = isFine ? await viewSharedList(ctx, lid) : null;
    // The items' pictures are the shop's.
    const csp = { 'img-src': 'https: http:' };
    sendLinkedPage(res, list ? 200 : 404, list ? listHtml(list) : MISSING, csp);
  });
}
