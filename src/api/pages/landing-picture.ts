import { picture } from '../../web/demo-store/pictures.ts';

const HEART = 'M0 7S-8 2.4-8-2.6A4.3 4.3 0 0 1 0-4.8a4.3 4.3 0 0 1 8 2.2C8 2.4 0 7 0 7z';

function product(slug: string, name: string, price: string, x: number, isSaved: boolean): string {
  const drawing = (picture(slug) ?? '').replace('width="400" height="300"', 'width="156" height="117"');
  return `<g transform="translate(${x} 84)"><rect class="plate" width="156" height="178" rx="10"/><g clip-path="url(#frame)">${drawing}</g>
<circle class="plate" cx="136" cy="20" r="13"/><path fill="${isSaved ? 'currentcolor' : 'none'}" stroke="currentcolor" stroke-width="${isSaved ? 0 : 1.6}" transform="translate(136 20)" d="${HEART}"/>
<text x="12" y="142" font-weight="600">${name}</text><text class="soft" x="12" y="163">${price}</text></g>`;
}

function figure(x: number, value: string, name: string): string {
  return `<text x="${x}" y="182" font-size="25" font-weight="700">${value}</text><text class="soft" x="${x}" y="203" font-size="12">${name}</text>`;
}

/** The demo shop and its dashboard, drawn inline: sharp at every width and in both colour schemes. */
export const PICTURE = `<svg class="picture" viewBox="0 0 960 384" preserveAspectRatio="xMinYMid slice" role="img" aria-label="The demo shop with hearts on its products, and the dashboard that shows what shoppers wait for">
<defs><clipPath id="frame"><path d="M0 10A10 10 0 0 1 10 0h136a10 10 0 0 1 10 10v107H0z"/></clipPath></defs>
<rect class="plate" x="1" y="1" width="570" height="330" rx="16"/><path stroke="var(--line)" d="M1 54h570"/>
<text x="28" y="35" font-size="19" font-weight="700">Hearth &amp; Loom</text><text class="soft" x="432" y="34">My lists</text><path fill="currentcolor" transform="translate(512 30)" d="${HEART}"/><text x="526" y="35" font-weight="600">3</text>
${product('throw', 'Linen throw', '€49.50', 28, true)}${product('vase', 'Ceramic vase', '€42.00', 204, false)}${product('mug', 'Stoneware mug', '€18.00', 380, true)}
<g><rect class="plate" x="548" y="92" width="411" height="270" rx="16"/>
<text x="576" y="130" font-size="16" font-weight="700">Overview</text>
${figure(576, '1,284', 'products in lists')}${figure(712, '96', 'wait for stock')}${figure(832, '€3,910', 'by alerts')}
<path stroke="var(--line)" d="M576 236h355M576 278h355M576 320h355"/>
<path fill="var(--accent-wash)" d="M576 308l51-14 51 6 51-30 51 10 51-24 50-8 50-16v104H576z"/><path fill="none" stroke="currentcolor" stroke-width="3" stroke-linejoin="round" d="M576 308l51-14 51 6 51-30 51 10 51-24 50-8 50-16"/></g>
<g><rect class="plate" x="130" y="290" width="300" height="84" rx="14"/><circle fill="currentcolor" cx="168" cy="332" r="18"/><path fill="none" stroke="var(--accent-ink)" stroke-width="3" stroke-linecap="round" d="M160 332l6 6 11-12"/>
<text x="200" y="326" font-weight="600">Reading lamp is back</text><text class="soft" x="200" y="348">Mailed to 12 who asked</text></g>
</svg>`;
