import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { pictureUrl } from '../picture.ts';
import type { Option } from './fields.tsx';

const PLACEHOLDER =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 160"><rect width="240" height="160" fill="#e8e3dd"/><text x="120" y="86" font-family="sans-serif" font-size="15" text-anchor="middle" fill="#655d68">picture</text></svg>',
  );

/** The mail with a placeholder for each picture that the page's policy would not let in. */
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

export const WIDTHS: Option<Width>[] = [
  { value: 'desktop', label: 'Desktop' },
  { value: 'phone', label: 'Phone' },
];

const HEIGHT = 520;

/** A mail as wide as on a desktop or on a phone, scaled down where there is less room. */
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
        // A frame that changes its document adds to the history: Back would go through every letter that was typed.
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
