import { plainMail, productCell, softCell } from '../alerts/send/mail-page.ts';
import type { Branded } from '../alerts/send/mail-page.ts';
import { fail, failField } from '../platform/errors.ts';
import { localeFor, translator } from '../platform/messages.ts';
import { formatMoney } from '../platform/money.ts';
import type { MoneyStyle } from '../platform/money.ts';
import { codePoints, isLine, isStorable, shorten } from '../platform/text.ts';
import type { StoreRow } from '../stores/store.repo.ts';
import { checkLine } from '../shoppers/shopper.rules.ts';

const MAX_NAME = 100;
const MAX_NOTE = 1_000;
const MAX_MEDIUM = 50;

/** A line break could inject an email header. */
export function checkFromName(text: string | null | undefined): string {
  return checkLine('fromname', (text ?? '').trim(), MAX_NAME);
}

export function checkShareNote(text: string | null | undefined): string {
  const note = (text ?? '').trim();
  const isFine = isStorable(note) && codePoints(note) <= MAX_NOTE;
  return isFine ? note : fail('invalid-request', `note must have at most ${MAX_NOTE} characters`);
}

export function checkShareMedium(text: string | null | undefined): string {
  const medium = (text ?? '').trim();
  return medium !== '' && isLine(medium, MAX_MEDIUM)
    ? medium
    : failField('invalid-medium', 'medium', `must have 1 to ${MAX_MEDIUM} printable characters`, text);
}

/** Links to the store's own page, or else to the page of this service, whose texts are in `lang`. */
export function shareLink(store: StoreRow, publicUrl: string, lid: string, lang: string): string {
  if (store.shareUrl === null && store.isDemo) return `${publicUrl}/demo#/shared/${lid}`;
  if (store.shareUrl === null)
    return `${publicUrl}/shared/${lid}?${new URLSearchParams({ pid: store.pid, lang }).toString()}`;
  if (store.shareUrl.includes('{lid}')) return store.shareUrl.replaceAll('{lid}', lid);
  const url = new URL(store.shareUrl);
  url.searchParams.set('lid', lid);
  return url.href;
}

/** A product in the email; `url` and `image` are the catalogue's, because the sender could have typed others. */
export type MailedItem = {
  title: string;
  variant: string | null;
  price: number | null;
  quantity: number;
  isSoldOut: boolean;
  url: string;
  image: string;
};

export type SharedListMail = {
  store: Branded & MoneyStyle;
  language: string;
  fromname: string;
  lname: string;
  cnt: number;
  items: readonly MailedItem[];
  note: string;
  url: string;
};

/** `plainMail` escapes what people typed. */
export function shareMail(mail: SharedListMail): { subject: string; html: string; text: string } {
  const { store, language, fromname: sender, lname, cnt, items, note, url } = mail;
  const t = translator(language);
  const kind = sender === '' ? ('.anonymous' as const) : '';
  const values = { sender, store: store.name, list: shorten(lname, 60) };
  const intro = t(`share.intro${kind}`, values);
  const money = { ...store, locale: localeFor(language, store.locale) };
  const detailsOf = ({ variant, price, quantity, isSoldOut }: MailedItem): string => {
    const details = [variant, price !== null && formatMoney(price, money)];
    if (quantity > 1) details.push(t('share.quantity', { count: quantity }));
    if (isSoldOut) details.push(t('share.soldOut'));
    return details.filter(Boolean).join(' · ');
  };
  const more = cnt > items.length ? t('page.more', { count: cnt - items.length }) : '';
  const lines = items.map((item) => [item.title, detailsOf(item)].filter(Boolean).join(' – '));
  const subject = t(`share.subject${kind}`, values);
  return {
    subject,
    ...plainMail(store, language, {
      title: lname,
      preview: note || intro,
      texts: [intro, ...(note === '' ? [] : [t('page.quoted', { text: note })])],
      products: {
        cells: [
          ...items.map((item) => productCell({ ...item, url: item.url || url }, detailsOf(item))),
          ...(more === '' ? [] : [softCell(more)]),
        ],
        text: [lname, ...lines.map((line) => `- ${line}`), more].filter(Boolean).join('\n'),
      },
      button: { url, words: t('share.button') },
    }),
  };
}
