import { translator } from '../../platform/messages.ts';
import { shorten } from '../../platform/text.ts';
import type { ConfirmMessage } from './channel.ts';
import { pictureCell, plainMail } from './mail-page.ts';
import { excessOf, toSegment } from './segment.ts';

type Asked = Pick<ConfirmMessage, 'store' | 'language' | 'topic' | 'product' | 'count'> & {
  contact?: string;
};

/** The products by their names; null if the catalogue has none of them. */
function productsOf({ language, product, count }: Asked, most: number): string | null {
  const title = product && shorten(product.title, most);
  return title && count > 1
    ? translator(language)('product.more', { product: title, count: count - 1 })
    : title;
}

/** The question that a confirmation email and its page ask, or what the page promises afterwards. */
export function confirmText(key: 'confirm.ask' | 'confirm.done.text', asked: Asked, medium: string) {
  const { store, language, topic, count, contact = '' } = asked;
  const product = productsOf(asked, 120);
  const values = { store: store.name, medium, contact, product: product ?? '' };
  if (product === null) return translator(language)(key, values);
  const about = topic === null || count > 1 ? 'product' : topic;
  return translator(language)(`${key}.${about}`, values);
}

export function confirmMail(message: ConfirmMessage): { subject: string; html: string; text: string } {
  const { store, language, url, product } = message;
  const t = translator(language);
  const ask = confirmText('confirm.ask', message, 'email');
  const named = productsOf(message, 60);
  const values = { store: store.name, product: named ?? '' };
  const mail = {
    title: t('confirm.title'),
    preview: ask,
    pictures: product && product.image !== '' ? [pictureCell(product)] : [],
    texts: [ask],
    button: { url, words: t('confirm.button') },
    last: t('confirm.ignore'),
  };
  return {
    subject: t(named === null ? 'confirm.subject.store' : 'confirm.subject', values),
    ...plainMail(store, language, mail),
  };
}

const MAX_STORE = 40;
/** A shorter title says too little. */
const MIN_TITLE = 12;

/** Fits into one SMS where the alphabet allows it: the title is shortened, or left out. */
export function confirmSms(message: ConfirmMessage): string {
  const t = translator(message.language);
  const values = { store: shorten(message.store.name, MAX_STORE), url: message.url };
  const plain = toSegment(t('confirm.sms', values));
  for (let most = MAX_STORE; message.product && most >= MIN_TITLE; most -= 4) {
    const product = productsOf(message, most)!;
    const text = toSegment(t('confirm.sms.product', { ...values, product }));
    if (excessOf(text) === 0 || excessOf(plain) > 0) return text;
  }
  return plain;
}
