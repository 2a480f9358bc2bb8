import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { pictureUrl } from '../picture.ts';
import { optionsOf } from './fields.tsx';

const PLACEHOLDER =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 160"><rect width="240" height="160" fill="#e8e3dd"/><text x="120" y="86" font-family="sans-serif" font-size="15" text-anchor="middle" fill="#655d68">picture</text></svg>',
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

const PIXELS = { desktop: 720, phone: 375 };

export type Width = keyof typeof PIXELS;

export const WIDTHS = optionsOf<Width>({ desktop: 'Desktop', phone: 'Phone' });

const HEIGHT = 520;

export function TextPreview({ label, text, look = '' }: { label: string; text: string; look?: string }) {
  return (
    <pre class={`preview-text ${look}`} tabIndex={0} aria-label={label}>
      {text}
    </pre>
  );
}

/** An email at desktop or phone width, scaled down to fit. */
export function MailFrame({ html, width }: { html: string; width: Width }) {
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
        key={html}
        class="preview-frame"
        title="Preview of the mail"
        sandbox=""
        srcdoc={withPlaceholders(html)}
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
