import * as page from './mail-page.ts';

// The default texts of alerts, as Liquid. A long title is shortened, the news never is.

const subject = (news: string): string => `{{ product.title | shorten: 60 }} ${news}`;

const when = (condition: string, then: string): string => `{% if ${condition} %}${then}{% endif %}`;

const PRICE = `{{ product.price | money }}`;
/** Only if the old price was higher, because the price can have risen since. */
const WAS_MORE = 'product.old_price > product.price';
const OLD_PRICE = when(
  WAS_MORE,
  ' <s class="wg-soft" style="font-weight:400;color:#52525b">{{ product.old_price | money }}</s>',
);
const PICTURE =
  '<td align="center" style="padding:0 0 20px"><img src="{{ product.image }}" alt="{{ product.title | shorten: 120 }}" width="280" style="display:block;width:280px;max-width:100%;height:auto;border:0;border-radius:8px;font-size:14px"></td></tr><tr>';
const LOGO = `{% if store.logo != "" %}${page.logoImage('{{ store.logo }}', '{{ store.name }}')}{% else %}{{ store.name }}{% endif %}`;

const html = (news: string): string =>
  page.mailPage({
    title: subject(news),
    preview: `{% unless follows %}{{ product.variant }} ${when('product.price', PRICE)} {{ store.name }}{% endunless %}`,
    // Several alerts in one message share one header.
    header: `{% unless follows %}${page.headerRow(LOGO)}{% endunless %}`,
    rows: [
      `${when('product.image != ""', PICTURE)}${page.headingCell(`{{ product.title | shorten: 150 }} ${news}`, 'h{% if follows %}2{% else %}1{% endif %}')}`,
      when(
        'product.brand != "" or product.variant != ""',
        page.softCell(
          '{{ product.brand }}{% if product.brand != "" and product.variant != "" %} · {% endif %}{{ product.variant }}',
        ),
      ),
      `${when('product.price', `${page.textCell(`<strong>${PRICE}</strong>${OLD_PRICE}`)}</tr><tr>`)}${when('product.url != ""', page.buttonCell('{{ product.url }}', 'See it at {{ store.name | shorten: 40 }}', '{{ store.colour }}', '{{ store.text_colour }}'))}`,
    ],
  });

const text = (news: string): string =>
  `{{ product.title | shorten: 150 }} ${news}.
${when('product.variant != ""', '{{ product.variant }}\n')}${when('product.price', `Price: ${PRICE}${when(WAS_MORE, ' (before: {{ product.old_price | money }})')}\n`)}
{{ product.url }}
`;

export const STANDARD_MAIL = { subject, html, text };
