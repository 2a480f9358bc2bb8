import { useEffect, useState } from 'preact/hooks';
import { PreviewTopicDocument } from '../../generated/dashboard.ts';
import type { ChannelFieldsFragment } from '../../generated/dashboard.ts';
import type { ApiError } from '../api.ts';
import { useSession } from '../session.ts';
import { listOf, textsOf } from '../topic-draft.ts';
import type { Texts } from '../topic-draft.ts';
import { isOwn } from '../own.ts';
import { Failure } from './feedback.tsx';
import { Segments } from './fields.tsx';
import { Card } from './layout.tsx';

const TYPING_PAUSE_MS = 350;

const PLACEHOLDER =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 160"><rect width="240" height="160" fill="#e8e3dd"/><text x="120" y="86" font-family="sans-serif" font-size="15" text-anchor="middle" fill="#655d68">picture</text></svg>',
  );

/** The mail with a placeholder for each picture of another site: the dashboard asks nobody but the service. */
export function withoutStrangers(html: string): string {
  const mail = new DOMParser().parseFromString(html, 'text/html');
  for (const picture of mail.querySelectorAll('img')) {
    const source = picture.getAttribute('src') ?? '';
    picture.removeAttribute('srcset');
    if (!source.startsWith('data:') && !isOwn(source)) picture.src = PLACEHOLDER;
  }
  return `<!doctype html>${mail.documentElement.outerHTML}`;
}

/** What the service makes of the draft; the last good one stays while there is a mistake in the template. */
function usePreview(topic: string, texts: Texts): { preview: Texts | null; error: ApiError | null } {
  const { run } = useSession();
  const [state, setState] = useState<{ preview: Texts | null; error: ApiError | null }>({
    preview: null,
    error: null,
  });
  const typed = JSON.stringify(listOf(texts));
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(() => {
      run(PreviewTopicDocument, { topic, texts: JSON.parse(typed) as ReturnType<typeof listOf> }).then(
        (data) => isCurrent && setState({ preview: textsOf(data.previewTopic.texts), error: null }),
        (error: ApiError) => isCurrent && setState(({ preview }) => ({ preview, error })),
      );
    }, TYPING_PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [run, topic, typed]);
  return state;
}

type Props = { topic: string; channels: ChannelFieldsFragment[]; texts: Texts };

/** The message as a subscriber would see it. The frame runs no scripts, and pictures of other sites are not loaded. */
export function TemplatePreview({ topic, channels, texts }: Props) {
  // A line such as the subject stands above every longer text of its channel.
  const views = channels.flatMap(({ parts }) =>
    parts
      .filter(({ rows }) => rows > 1)
      .map((part) => ({ part, lines: parts.filter(({ rows }) => rows === 1) })),
  );
  const [name, setName] = useState(views[0]!.part.name);
  const { part, lines } = views.find((view) => view.part.name === name)!;
  const { preview, error } = usePreview(topic, texts);
  return (
    <Card
      title="Preview"
      note="With a sample product. Pictures from other sites are not loaded here."
      aside={
        <Segments
          label="Show"
          value={name}
          options={views.map((view) => ({ value: view.part.name, label: view.part.label }))}
          onValue={setName}
        />
      }
    >
      <Failure error={error} />
      {preview === null && !error && (
        <div class="skeleton" role="status">
          <span class="visually-hidden">Loading</span>
          <span class="skeleton-line" />
        </div>
      )}
      {preview &&
        lines.map((line) => (
          <p key={line.name} class="preview-subject">
            <span class="muted">{line.label}</span> <strong>{preview[line.name]}</strong>
          </p>
        ))}
      {preview && part.isHtml && (
        <iframe
          class="preview-frame"
          title="Preview of the mail"
          sandbox=""
          srcdoc={withoutStrangers(preview[part.name] ?? '')}
        />
      )}
      {preview && !part.isHtml && (
        <pre class="preview-text" tabIndex={0} aria-label={`Preview: ${part.label}`}>
          {preview[part.name]}
        </pre>
      )}
    </Card>
  );
}
