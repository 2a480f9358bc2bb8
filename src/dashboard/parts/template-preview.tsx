import { useEffect, useState } from 'preact/hooks';
import { PreviewTopicDocument } from '../../generated/dashboard.ts';
import type { PreviewTopicQuery } from '../../generated/dashboard.ts';
import type { ApiError } from '../api.ts';
import { useSession } from '../session.ts';
import type { TopicDraft } from '../topic-draft.ts';
import { isOwn } from '../own.ts';
import { Failure } from './feedback.tsx';
import { Segments } from './fields.tsx';
import { Card } from './layout.tsx';

type Preview = PreviewTopicQuery['previewTopic'];

const TYPING_PAUSE_MS = 350;
const VIEWS = [
  { value: 'html', label: 'HTML' },
  { value: 'text', label: 'Text' },
  { value: 'sms', label: 'SMS' },
];

const PLACEHOLDER =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 160"><rect width="240" height="160" fill="#e8e3dd"/><text x="120" y="86" font-family="sans-serif" font-size="15" text-anchor="middle" fill="#655d68">picture</text></svg>',
  );

/** The mail with a placeholder for each picture of another site: the dashboard asks nobody but the service. */
function withoutStrangers(html: string): string {
  const mail = new DOMParser().parseFromString(html, 'text/html');
  for (const picture of mail.querySelectorAll('img')) {
    const source = picture.getAttribute('src') ?? '';
    picture.removeAttribute('srcset');
    if (!source.startsWith('data:') && !isOwn(source)) picture.src = PLACEHOLDER;
  }
  return `<!doctype html>${mail.documentElement.outerHTML}`;
}

/** What the service makes of the draft; the last good one stays while there is a mistake in the template. */
function usePreview({ name, subject, html, text, sms }: TopicDraft): {
  preview: Preview | null;
  error: ApiError | null;
} {
  const { run } = useSession();
  const [state, setState] = useState<{ preview: Preview | null; error: ApiError | null }>({
    preview: null,
    error: null,
  });
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      run(PreviewTopicDocument, { topic: name, subject, html, text, sms }).then(
        (data) => isCurrent && setState({ preview: data.previewTopic, error: null }),
        (error: ApiError) => isCurrent && setState(({ preview }) => ({ preview, error })),
      );
    }, TYPING_PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [run, name, subject, html, text, sms]);
  return state;
}

/** The message as a subscriber would see it. The frame runs no scripts, and pictures of other sites are not loaded. */
export function TemplatePreview({ draft }: { draft: TopicDraft }) {
  const [view, setView] = useState('html');
  const { preview, error } = usePreview(draft);
  return (
    <Card
      title="Preview"
      note="With a sample product. Pictures from other sites are not loaded here."
      aside={<Segments label="Show" value={view} options={VIEWS} onValue={setView} />}
    >
      <Failure error={error} />
      {preview === null && !error && (
        <div class="skeleton" role="status">
          <span class="visually-hidden">Loading</span>
          <span class="skeleton-line" />
        </div>
      )}
      {preview && view !== 'sms' && (
        <p class="preview-subject">
          <span class="muted">Subject</span> <strong>{preview.subject}</strong>
        </p>
      )}
      {preview && view === 'html' && (
        <iframe
          class="preview-frame"
          title="Preview of the mail"
          sandbox=""
          srcdoc={withoutStrangers(preview.html)}
        />
      )}
      {preview && view !== 'html' && (
        <pre
          class="preview-text"
          tabIndex={0}
          aria-label={view === 'sms' ? 'Preview of the text message' : 'Preview of the plain text'}
        >
          {view === 'sms' ? preview.sms : preview.text}
        </pre>
      )}
    </Card>
  );
}
