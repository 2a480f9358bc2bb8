import { picture } from '../../web/demo-store/pictures.ts';

const HEART = 'M0 7S-8 2.4-8-2.6A4.3 4.3 0 0 1 0-4.8a4.3 4.3 0 0 1 8 2.2C8 2.4 0 7 0 7z';

function product(slug: string, name: string, price: string, x: number, isSaved: boolean): string {
  const drawing = (picture(slug) ?? '').replace('width="400" height="300"', 'width="156" height="117"');
  return `<g transform="translate(${x} 84)"><rect class="plate" width="156" height="178" rx="10"/><g clip-path="url(#frame)">${drawing}</g>
<circle class="plate" cx="136" cy="20" r="13"/><path fill="${isSaved ? 'currentcolor' : 'none'}" stroke="currentcolor" stroke-width="${isSaved ? 0 : 1.6}" transform="translate(136 20)" d="${HEART}"/>
<text x="12" y="142" font-weight="600">${name}</text><text class="soft" x="12" y="163">${price}</text></g>`;
}

function figure(x: number, value: string, name: string): string {
  return `<text x="${x}" y="90" font-size="25" font-weight="700">${value}</text><text class="soft" x="${x}" y="111" font-size="13">${name}</text>`;
}

const CURVE = 'M28 216l51-14 51 6 51-30 51 10 51-24 50-8 50-16';

/** Three drawings that overlap, arranged by the width of the page: sharp at every size and in both colour schemes. */
export const PICTURE = `<div class="picture" role="img" aria-label="The demo shop with hearts on its products, and the dashboard with the demand for them">
<svg class="shop" viewBox="0 0 572 332"><defs><clipPath id="frame"><path d="M0 10A10 10 0 0 1 10 0h136a10 10 0 0 1 10 10v107H0z"/></clipPath></defs>
<rect class="plate" x="1" y="1" width="570" height="330" rx="16"/><path stroke="var(--line)" d="M1 54h570"/>
<text x="28" y="35" font-size="19" font-weight="700">Hearth &amp; Loom</text><text class="soft" x="432" y="34">My lists</text><path fill="currentcolor" transform="translate(512 30)" d="${HEART}"/><text x="526" y="35" font-weight="600">3</text>
${product('throw', 'Linen throw', '€49.50', 28, true)}${product('vase', 'Ceramic vase', '€42.00', 204, false)}${product('mug', 'Stoneware mug', '€18.00', 380, true)}</svg>
<svg class="board" viewBox="0 0 413 272"><rect class="plate" x="1" y="1" width="411" height="270" rx="16"/>
<text x="28" y="38" font-size="16" font-weight="700">Overview</text>
${figure(28, '1,284', 'saved products')}${figure(164, '96', 'waiting')}${figure(272, '€3,910', 'from alerts')}
<path stroke="var(--line)" d="M28 144h355M28 186h355M28 228h355"/>
<path fill="var(--accent-wash)" d="${CURVE}v104H28z"/><path fill="none" stroke="currentcolor" stroke-width="3" stroke-linejoin="round" d="${CURVE}"/></svg>
<svg class="toast" viewBox="0 0 302 86"><rect class="plate" x="1" y="1" width="300" height="84" rx="14"/><circle fill="currentcolor" cx="39" cy="43" r="18"/><path fill="none" stroke="var(--accent-ink)" stroke-width="3" stroke-linecap="round" d="M31 43l6 6 11-12"/>
<text x="71" y="37" font-weight="600">Reading lamp is back</text><text class="soft" x="71" y="59">Email sent to 12 shoppers</text></svg>
</div>`;
