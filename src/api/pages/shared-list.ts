import type { Application } from 'express';
import type { Services } from '../../context.ts';
import { storeOfSharedList, viewSharedList } from '../../lists/share.service.ts';
import type { SharedList } from '../../lists/share.service.ts';
import { localeFor, translator } from '../../platform/messages.ts';
import type { Translate } from '../../platform/messages.ts';
import { formatMoney } from '../../platform/money.ts';
import type { MoneyStyle } from '../../platform/money.ts';
import { pictureSchemes } from '../../platform/pictures.ts';
import { escapeHtml } from '../../platform/text.ts';
import { nameRoute } from '../access-log.ts';
import { admitLink } from '../authenticate.ts';
import { languageFor, notePage, sendTokenPage, tokenPage } from './token-page.ts';
import type { TokenPage } from './token-page.ts';

const ROUTE = '/shared/:lid';
const MAX_PARAM = 200;

// The background shows where a picture is missing or does not load.
const PLACEHOLDER =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 24 24' fill='none' stroke='%238e8e98' stroke-width='1.2'%3E%3Crect x='6' y='9' width='12' height='10' rx='1.5'/%3E%3Cpath d='M9 9V8a3 3 0 0 1 6 0v1'/%3E%3C/svg%3E";
const STYLE = `
main,.brand,.back{width:min(48rem,100% - 2rem)}
ul{list-style:none;margin:1.25rem 0 0;padding:0}
li{display:grid;grid-template-columns:88px 1fr auto;gap:.25rem 1rem;align-items:center;padding:1rem 0;border-top:1px solid var(--line)}
.picture{width:88px;height:88px;border-radius:8px;overflow:hidden;background:url("${PLACEHOLDER}") center/56px no-repeat,var(--page)}
.picture img{display:block;width:88px;height:88px;object-fit:cover}
.name{margin:0;font-weight:600}
.price{margin:.25rem 0 0;display:flex;flex-wrap:wrap;gap:.25rem .75rem;align-items:center}
.stock{font-size:.8125rem;padding:0 .5rem;border:1px solid var(--line);border-radius:1rem}
li .button{width:auto;margin:0;padding:.6rem 1.25rem}
@media (max-width:34rem){li{grid-template-columns:72px 1fr}.picture,.picture img{width:72px;height:72px}li .button{grid-column:1/-1;margin-top:.5rem}}`;

function stockWords(t: Translate, stock: number | null): string {
  if (stock === null) return '';
  if (stock <= 0) return t('share.soldOut');
  return stock <= 3 ? t('share.left', { count: stock }) : t('share.inStock');
}

function itemHtml(t: Translate, item: SharedList['items'][number], money: MoneyStyle): string {
  const { dt, epi, url, image, bt, vi, qty, note, pr, stock } = item;
  const title = escapeHtml(dt ?? epi);
  const rel = 'rel="noopener noreferrer nofollow"';
  const name = url ? `<a href="${escapeHtml(url)}" ${rel}>${title}</a>` : title;
  const details = [bt, vi, qty > 1 ? t('share.quantity', { count: qty }) : null].filter((text) => text);
  const words = stockWords(t, stock);
  const price = pr === null ? '' : `<strong>${escapeHtml(formatMoney(pr, money))}</strong>`;
  const facts = price + (words && `<span class="stock">${escapeHtml(words)}</span>`);
  const isSoldOut = stock !== null && stock <= 0;
  const button = `<a class="button${isSoldOut ? '' : ' primary'}" href="${escapeHtml(url)}" ${rel}>${escapeHtml(t(isSoldOut ? 'share.view' : 'share.buy'))}<span class="hidden"> ${title}</span></a>`;
  return `<li><div class="picture">${image ? `<img src="${escapeHtml(image)}" alt="" loading="lazy" width="88" height="88">` : ''}</div><div><p class="name"><bdi>${name}</bdi></p>
${details.length > 0 ? `<p class="quiet">${details.map((text) => `<bdi>${escapeHtml(text!)}</bdi>`).join(' · ')}</p>` : ''}${note ? `<p class="quiet"><bdi>${escapeHtml(note)}</bdi></p>` : ''}${facts && `<p class="price">${facts}</p>`}</div>${url ? button : ''}</li>`;
}

function listPage(services: Services, list: SharedList, language: string): TokenPage {
  const { store, lname, lnote, ownerName, cnt, items } = list;
  const t = translator(language);
  const money = { ...store, locale: localeFor(language, store.locale) };
  const left = cnt - items.length;
  const more = left > 0 ? `<p class="quiet">${escapeHtml(t('page.more', { count: left }))}</p>` : '';
  const body =
    items.length > 0
      ? `<ul>${items.map((item) => itemHtml(t, item, money)).join('')}</ul>${more}`
      : `<p>${escapeHtml(t('share.empty'))}</p>`;
  const facts = [
    ...(ownerName === null ? [] : [t('share.owner', { name: ownerName })]),
    t('share.from', { store: store.name }),
    t('share.count', { count: cnt }),
  ];
  const note = lnote ? `<p><bdi>${escapeHtml(lnote)}</bdi></p>` : '';
  const content = `<p class="quiet">${facts.map(escapeHtml).join(' · ')}</p>${note}${body}`;
  const images = [...pictureSchemes(services.config.publicUrl), 'data:'];
  return tokenPage(services, { store, language }, lname, content, { style: STYLE, images });
}

/** Serves public lists to everybody who has the link: read only, without login or script. */
export function serveSharedLists(app: Application, services: Services): void {
  app.get(ROUTE, async (req, res) => {
    nameRoute(res, ROUTE);
    const { lid } = req.params;
    const isValid = lid.length <= MAX_PARAM && !lid.includes('\u0000');
    const { pid = isValid ? await storeOfSharedList(services, lid) : '' } = req.query;
    const ctx = await admitLink(services, req, res, typeof pid === 'string' ? pid : '');
    const list = isValid ? await viewSharedList(ctx, lid) : null;
    const { store } = ctx.viewer;
    const language = languageFor(req, store);
    if (list) return sendTokenPage(res, listPage(services, list, language));
    sendTokenPage(res, notePage(services, { store, language }, 'share.missing'), 404);
  });
}
