import { directionOf } from '../../platform/messages.ts';
import { DEFAULT_COLOUR, escapeHtml, shorten, textOn } from '../../platform/text.ts';

export type Branded = {
  name: string;
  logoUrl: string | null;
  colour: string | null;
  /** Several lines. */
  postalAddress: string | null;
  imprintUrl: string | null;
};

/** The parts are HTML, or Liquid that renders to HTML. */
type MailPage = {
  language: string;
  direction: string;
  title: string;
  /** The preview text that email clients show after the subject. */
  preview: string;
  header: string;
  rows: readonly string[];
};

const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const HIDDEN =
  'display:none;font-size:1px;line-height:1px;max-height:0;max-width:0;opacity:0;overflow:hidden';

// Classes only for what attributes cannot express: an email client that drops style sheets loses only the dark colours.
const STYLE = `:root{color-scheme:light dark}
hr{display:none}
.wg-footer a{color:inherit}
.wg-footer{margin:0 auto!important;max-width:552px;padding:0 36px 32px}
@media (prefers-color-scheme:dark){
.wg-page{background:#111113!important}
.wg-card{background:#1f1f23!important;color:#f4f4f5!important}
.wg-ink{color:#f4f4f5!important}
.wg-soft,.wg-footer,.wg-footer a{color:#b6b6be!important}
.wg-button{border-color:#8e8e98!important}
}`;

/**
 * Tables with inline styles look alike in all common email clients: Outlook ignores width and padding of other elements.
 * Text begins where the direction says; it is repeated, because webmail drops the html element.
 */
export function mailPage({ language, direction, title, preview, header, rows }: MailPage): string {
  return `<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body class="wg-page" dir="${direction}" style="margin:0;padding:0;background:#f4f4f5;font-family:${FONT};line-height:1.5;color:#18181b">
<div style="${HIDDEN}">${preview}</div>
<table role="presentation" class="wg-page" lang="${language}" dir="${direction}" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f4f4f5"><tr><td align="center" style="padding:24px 12px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;margin:0 auto">
${header}
<tr><td class="wg-card" bgcolor="#ffffff" style="background:#ffffff;border-radius:12px;padding:32px 24px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0">
${rows.map((row) => `<tr>${row}</tr>`).join('\n')}
</table>
</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>`;
}

const HEADER_CELL = 'padding:0 24px 20px;font-size:18px;font-weight:700';

export const headerRow = (content: string): string =>
  `<tr><td class="wg-ink" style="${HEADER_CELL}">${content}</td></tr>`;

/** The logo is always 40 px high. */
export const logoImage = (url: string, name: string): string =>
  `<img src="${url}" alt="${name}" height="40" style="height:40px;max-height:40px;width:auto;max-width:240px;border:0">`;

const cell = (kind: string, style: string) => (content: string) =>
  `<td class="${kind}" style="${style}">${content}</td>`;

const HEADING = 'margin:0;font-size:22px;line-height:1.3;overflow-wrap:anywhere';
const SOFT = 'font-size:14px;color:#52525b';
const headingTd = cell('wg-ink', 'padding:0 0 8px');
export const heading = (content: string, tag = 'h1'): string =>
  `<${tag} style="${HEADING}">${content}</${tag}>`;
export const headingCell = (content: string, tag?: string): string => headingTd(heading(content, tag));
export const textCell = cell('wg-ink', 'padding:0 0 12px;font-size:16px;overflow-wrap:anywhere');
export const softCell = cell('wg-soft', `padding:0 0 8px;${SOFT};overflow-wrap:anywhere`);
const lastCell = cell('wg-soft', `padding:20px 0 0;${SOFT}`);

/** A link that looks like a button in every email client: Outlook uses the cell's padding, the others the link's. */
export function buttonCell(url: string, words: string, colour: string, ink: string): string {
  const inner = 'display:inline-block;padding:14px 28px;mso-padding-alt:0;font-size:16px;font-weight:600';
  const frame = `border-radius:8px;border:1px solid ${colour};background:${colour};mso-padding-alt:14px 28px`;
  return `<td style="padding:12px 0 4px"><table role="presentation" cellpadding="0" cellspacing="0" border="0"><tr><td class="wg-button" align="center" bgcolor="${colour}" style="${frame}"><a href="${url}" style="${inner};color:${ink};text-decoration:none">${words}</a></td></tr></table></td>`;
}

type Picture = { title: string; url: string; image: string };

const linked = (url: string, content: string, style = ''): string =>
  url === '' ? content : `<a href="${escapeHtml(url)}" style="color:inherit;${style}">${content}</a>`;

export const imageTag = (src: string, alt: string, width: number): string =>
  `<img src="${src}" alt="${alt}" width="${width}" style="display:block;width:${width}px;max-width:100%;height:auto;border:0;border-radius:8px;font-size:14px">`;

const image = ({ title, image: src }: Picture, width: number): string =>
  imageTag(escapeHtml(src), escapeHtml(shorten(title, width / 2)), width);

export const pictureCell = (picture: Picture): string =>
  `<td style="padding:0 0 20px">${linked(picture.url, image(picture, 280))}</td>`;

/** A product in a list: the picture, if there is one, next to the title and `details`. */
export function productCell(product: Picture, details: string): string {
  const picture = product.image === '' ? '' : linked(product.url, image(product, 72));
  const title = linked(
    product.url,
    `<strong dir="auto">${escapeHtml(shorten(product.title, 150))}</strong>`,
    'text-decoration:none',
  );
  return `<td style="padding:8px 0"><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td width="88" valign="top">${picture}</td><td class="wg-ink" style="font-size:16px;overflow-wrap:anywhere">${title}<br><span class="wg-soft" style="${SOFT}">${escapeHtml(details)}</span></td></tr></table></td>`;
}

type PlainMail = {
  title: string;
  preview: string;
  pictures?: readonly string[];
  texts: readonly string[];
  /** Cells, and the same as plain text. */
  products?: { cells: readonly string[]; text: string };
  button: { url: string; words: string };
  last?: string;
};

/** An email without a template, as HTML and as plain text. Its footer follows when it is sent. */
export function plainMail({ name, logoUrl, colour }: Branded, language: string, mail: PlainMail) {
  const { pictures = [], texts, products = { cells: [], text: '' }, button, last } = mail;
  const ground = colour ?? DEFAULT_COLOUR;
  const title = escapeHtml(mail.title);
  const logo = logoUrl === null ? escapeHtml(name) : logoImage(escapeHtml(logoUrl), escapeHtml(name));
  const toHtml = (text: string): string => escapeHtml(text).replace(/\r\n|\r|\n/g, '<br>');
  const html = mailPage({
    language,
    direction: directionOf(language),
    title,
    preview: escapeHtml(mail.preview),
    header: headerRow(logo),
    rows: [
      ...pictures,
      headingCell(title),
      ...texts.map((text) => textCell(toHtml(text))),
      ...products.cells,
      buttonCell(escapeHtml(button.url), escapeHtml(button.words), ground, textOn(ground)),
      ...(last === undefined ? [] : [lastCell(toHtml(last))]),
    ],
  });
  const text = [...texts, products.text, `${button.words}: ${button.url}`, last ?? ''];
  return { html, text: `${text.filter(Boolean).join('\n\n')}\n`, language };
}
