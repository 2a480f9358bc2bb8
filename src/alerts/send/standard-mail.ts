import type { StandardTopic } from './channel.ts';
import * as page from './mail-page.ts';

// The default texts of alerts, as Liquid. A long title is shortened, the news never is.

/** The simple fields of an email, which its HTML and text show. */
export type FieldName = 'preheader' | 'headline' | 'intro' | 'button' | 'footer';

const when = (condition: string, then: string, otherwise = ''): string =>
  `{% if ${condition} %}${then}${otherwise && `{% else %}${otherwise}`}{% endif %}`;

const PRICE = '{{ product.price | money }}';
const VALUES = { price: PRICE, oldPrice: '{{ product.old_price | money }}', stock: '{{ product.stock }}' };

/** What a headline adds if it is known: the old price only after a price drop, the stock only if it is tracked. */
const DETAILS = {
  pricedrop: ['product.old_price', 'alert.pricedrop.was'],
  lowstock: ['product.stock', 'alert.lowstock.left'],
} as const;

function news({ topic, translate }: StandardTopic, product: string): string {
  const values = { ...VALUES, product };
  const plain = translate(`alert.${topic}`, values);
  const [known, key] = DETAILS[topic as keyof typeof DETAILS] ?? [];
  return known && key ? when(known, translate(key, values), plain) : plain;
}

/** Only if the old price was higher, because the price can have risen since. */
const WAS_MORE = 'product.old_price > product.price';
const OLD_PRICE = when(
  WAS_MORE,
  ` <s class="wg-soft" style="font-weight:400;color:#52525b">${VALUES.oldPrice}</s>`,
);
const IMAGE = page.imageTag('{{ product.image }}', '{{ product.title | shorten: 120 }}', 280);
const PICTURE = `<td style="padding:0 0 20px">${when('product.url != ""', `<a href="{{ product.url }}">${IMAGE}</a>`, IMAGE)}</td></tr><tr>`;
const LOGO = `{% if store.logo != "" %}${page.logoImage('{{ store.logo }}', '{{ store.name }}')}{% else %}{{ store.name }}{% endif %}`;
const VARIANT =
  '{{ product.brand }}{% if product.brand != "" and product.variant != "" %} · {% endif %}{{ product.variant }}';
const lines = (name: string): string => `<span style="white-space:pre-line">{{ ${name} }}</span>`;
const row = (content: string): string => `${content}</tr><tr>`;

const HTML = page.mailPage({
  language: '{{ language }}',
  direction: '{{ direction }}',
  title: '{{ mail.subject }}',
  preview: '{% unless follows %}{{ mail.preheader }}{% endunless %}',
  // Several alerts in one message share one header.
  header: `{% unless follows %}${page.headerRow(LOGO)}{% endunless %}${when('mail.heading != ""', page.headerRow(page.heading('{{ mail.heading }}')))}`,
  rows: [
    `${when('product.image != ""', PICTURE)}${page.headingCell('{{ mail.headline }}', 'h{% if follows or mail.heading != "" %}2{% else %}1{% endif %}')}`,
    when('mail.also != ""', page.textCell(lines('mail.also'))),
    when('product.brand != "" or product.variant != ""', page.softCell(VARIANT)),
    `${when('mail.intro != ""', row(page.textCell(lines('mail.intro'))))}${when('product.price', row(page.textCell(`<strong>${PRICE}</strong>${OLD_PRICE}`)))}${when('product.url != ""', page.buttonCell('{{ product.url }}', '{{ mail.button }}', '{{ store.colour }}', '{{ store.text_colour }}'))}`,
    when('mail.footer != ""', page.softCell(lines('mail.footer'))),
  ],
});

const TEXT = ({
  translate,
}: StandardTopic): string => `${when('mail.heading != ""', '{{ mail.heading }}\n\n* * *\n\n')}{{ mail.headline }}
${when('mail.also != ""', '{{ mail.also }}\n')}${when('mail.intro != ""', '\n{{ mail.intro }}\n')}
${when('product.variant != ""', '{{ product.variant }}\n')}${when('product.price', `${when(WAS_MORE, translate('alert.priceWas', VALUES), translate('alert.price', VALUES))}\n`)}
{{ mail.button }}: {{ product.url }}
${when('mail.footer != ""', '\n{{ mail.footer }}\n')}`;

export const STANDARD_MAIL = {
  subject: (topic) => news(topic, '{{ product.title | shorten: 60 }}'),
  preheader: () =>
    `${when('product.variant != ""', '{{ product.variant }} · ')}${when('product.price', `${PRICE} · `)}{{ store.name }}`,
  headline: (topic) => news(topic, '{{ product.title | shorten: 150 }}'),
  intro: ({ topic, translate }) => translate(`alert.${topic}.intro`),
  button: ({ translate }) => translate('alert.button'),
  html: () => HTML,
  text: TEXT,
} satisfies Record<string, (topic: StandardTopic) => string>;

export const standardSms = (topic: StandardTopic): string =>
  topic.translate('alert.sms', {
    store: '{{ store.name }}',
    headline: news(topic, '{{ product.title }}'),
    url: '{{ product.url }}',
  });
