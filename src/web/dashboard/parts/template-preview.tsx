import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { useQuery } from '../session.ts';
import { partName, rich, t } from '../text.ts';
import { INBOX_LENGTHS, cutLine, listOf, textsOf } from '../topic-draft.ts';
import type { Texts } from '../topic-draft.ts';
import { Segments, optionsOf, textOptions } from './fields.tsx';
import { Button, Card, ErrorNotice, Skeleton } from './layout.tsx';
import { ProductPicker, pictureUrl, shortTitleOf } from './product.tsx';
import type { FoundProduct } from './product.tsx';
import { useSettled } from './table-card.tsx';

const PLACEHOLDER =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 160"><rect width="240" height="160" fill="#e8e3dd"/><text x="120" y="86" font-family="sans-serif" font-size="15" text-anchor="middle" fill="#655d68">' +
      `${t('preview.image')}</text></svg>`,
  );

/** Replaces each image that the page's content security policy blocks with a placeholder. */
function withPlaceholders(html: string): string {
  const mail = new DOMParser().parseFromString(html, 'text/html');
  for (const picture of mail.querySelectorAll('img')) {
    const source = picture.getAttribute('src') ?? '';
    picture.removeAttribute('srcset');
    if (!source.startsWith('data:') && pictureUrl(source) === null) picture.src = PLACEHOLDER;
  }
  return `<!doctype html>${mail.documentElement.outerHTML}`;
}

type Scheme = 'light' | 'dark';

const SCHEMES = optionsOf<Scheme>({ light: 'preview.light', dark: 'preview.dark' });

/** Shows an email's dark colours, or not, whatever the reader's own device prefers. */
const inScheme = (html: string, scheme: Scheme): string =>
  html.replace(
    /\(\s*prefers-color-scheme\s*:\s*dark\s*\)/g,
    scheme === 'dark' ? '(min-width: 0)' : '(max-width: 0)',
  );

const PIXELS = { desktop: 720, phone: 375 };

type Width = keyof typeof PIXELS;

const WIDTHS = optionsOf<Width>({ desktop: 'preview.desktop', phone: 'preview.phone' });

const HEIGHT = 520;

export function TextPreview({ label, text, look = '' }: { label: string; text: string; look?: string }) {
  return (
    <pre class={`preview-text ${look}`} tabIndex={0} aria-label={label}>
      {text}
    </pre>
  );
}

/** An email at desktop or phone width, scaled down to fit. */
type MailProps = { html: string; width: Width; scheme?: Scheme };

export function MailFrame({ html, width, scheme = 'light' }: MailProps) {
  const stage = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<number>(PIXELS.desktop);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => setRoom(entry!.contentRect.width));
    watch.observe(stage.current!);
    return () => watch.disconnect();
  }, []);
  const scale = Math.min(1, room / PIXELS[width]);
  return (
    <div ref={stage} class="preview-stage" style={{ height: `${HEIGHT}px` }}>
      <iframe
        // A new frame each time, because a frame that changes its document adds a history entry for every typed letter.
        key={`${scheme} ${html}`}
        class={`preview-frame is-${scheme}`}
        title={t('preview.frame')}
        sandbox=""
        srcdoc={withPlaceholders(inScheme(html, scheme))}
        style={{
          width: `${PIXELS[width]}px`,
          height: `${HEIGHT / scale}px`,
          transform: `scale(${scale})`,
          marginLeft: `${(room - PIXELS[width] * scale) / 2}px`,
        }}
      />
    </div>
  );
}

/** GSM-7: the characters that count once, and those that count twice; any other makes the whole message UCS-2. */
const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '^{}\\[~]|€\f';

/** A single segment has 160 characters, each of several has 153; in UCS-2 70 and 67. */
function smsLength(text: string) {
  const characters = [...text];
  const isUnicode = !characters.every((one) => BASIC.includes(one) || EXTENDED.includes(one));
  const units = isUnicode
    ? text.length
    : characters.reduce((sum, one) => sum + (EXTENDED.includes(one) ? 2 : 1), 0);
  const [single, joined] = isUnicode ? [70, 67] : [160, 153];
  return { units, segments: units <= single ? 1 : Math.ceil(units / joined), isUnicode };
}

const TYPING_PAUSE_MS = 350;

/** Returns the service's preview of the draft; the last valid one remains while the template has an error. */
export function usePreview(
  topic: string,
  language: string | null,
  epi: string | number | null,
  texts: Texts,
) {
  const typed = useSettled(JSON.stringify(listOf(texts)), TYPING_PAUSE_MS);
  const { data, error } = useQuery(gql.PreviewTopicDocument, {
    topic,
    language,
    epi,
    texts: JSON.parse(typed) as ReturnType<typeof listOf>,
  });
  const rendered = data?.previewTopic?.texts;
  return { preview: rendered ? textsOf(rendered) : null, error };
}

function Sms({ label, text }: { label: string; text: string }) {
  const { units, segments, isUnicode } = smsLength(text);
  return (
    <>
      <TextPreview label={label} text={text} look="preview-sms" />
      <p class="muted">
        {t('preview.length', { units, segments })}
        {isUnicode && `. ${t('preview.unicode')}`}
      </p>
    </>
  );
}

/** A line as an inbox shows it: what it cuts is dimmed. */
export function InboxLine({ part, line }: { part: string; line: string }) {
  const { head, tail } = cutLine(part, line);
  return (
    <p class="preview-subject">
      <span class="muted">{partName(part)}</span> <strong>{head}</strong>
      {tail && (
        <span class="muted" title={t('preview.cut')}>
          {tail}
        </span>
      )}
    </p>
  );
}

type Props = {
  product: FoundProduct | null;
  onProduct: (product: FoundProduct | null) => void;
  channels: gql.ChannelFieldsFragment[];
  preview: Texts | null;
  error: Error | null;
  shown: string;
  onShown: (part: string) => void;
};

/** The frame runs no scripts and loads no images from other sites. */
export function TemplatePreview(props: Props) {
  const { channels, preview, error, product, onProduct, shown, onShown } = props;
  // The subject and the other fields are shown above or within the longer parts of their channel.
  const views = channels.flatMap(({ parts }) =>
    parts.filter(({ rows, isField }) => rows > 1 && !isField).map((part) => ({ part, parts })),
  );
  const { part, parts } =
    views.find((view) => view.part.name === shown) ??
    views.find((view) => view.parts.some(({ name }) => name === shown)) ??
    views[0]!;
  const [width, setWidth] = useState<Width>(innerWidth < 640 ? 'phone' : 'desktop');
  const [scheme, setScheme] = useState<Scheme>('light');
  const text = preview?.[part.name] ?? '';
  const label = t('preview.of', { part: partName(part.name) });
  return (
    <Card
      title={t('preview.title')}
      note={product === null ? t('preview.note') : undefined}
      aside={
        <Segments
          label={t('preview.show')}
          value={part.name}
          options={textOptions(
            views.map((view) => view.part.name),
            partName,
          )}
          onValue={onShown}
        />
      }
    >
      {product === null ? (
        <ProductPicker label={t('preview.pick')} onPick={onProduct} />
      ) : (
        <p class="notice">
          <span>{rich('preview.with', { product: <strong>{shortTitleOf(product)}</strong> })}</span>
          <Button text={t('preview.sample')} onClick={() => onProduct(null)} />
        </p>
      )}
      <ErrorNotice error={error} />
      {preview === null && !error && <Skeleton lines={1} />}
      {preview && (
        <div class="preview-head">
          <div class="preview-lines">
            {parts
              .filter(({ name }) => name in INBOX_LENGTHS)
              .map(({ name }) => (
                <InboxLine key={name} part={name} line={preview[name] ?? ''} />
              ))}
          </div>
          {part.isHtml && (
            <div class="card-buttons">
              <Segments label={t('preview.width')} value={width} options={WIDTHS} onValue={setWidth} />
              <Segments label={t('preview.scheme')} value={scheme} options={SCHEMES} onValue={setScheme} />
            </div>
          )}
        </div>
      )}
      {preview && part.isHtml && <MailFrame html={text} width={width} scheme={scheme} />}
      {preview && part.isSegmented && <Sms label={label} text={text} />}
      {preview && !part.isHtml && !part.isSegmented && <TextPreview label={label} text={text} />}
    </Card>
  );
}
