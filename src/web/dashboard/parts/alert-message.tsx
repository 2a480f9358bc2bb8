import { AlertMessageDocument } from '../../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { useQuery } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { Loaded } from './feedback.tsx';
import { MailFrame } from './mail-frame.tsx';

type Alert = {
  topic: string;
  epi: string | number;
  medium: string;
  value: string;
  finishedAt: number | null;
};

/** What an alert says. The service does not keep messages: this one is rendered anew, and the dialog says so. */
export function AlertMessage({ alert }: { alert: Alert }) {
  const { topic, epi, medium, value, finishedAt } = alert;
  const message = useQuery(AlertMessageDocument, { topic, epi });
  return (
    <Dialog title={`Message to ${value}`}>
      <p class="muted">
        Messages are not kept. This is the topic's template of today with today's product
        {finishedAt === null ? '.' : `; the alert was done ${formatMoment(finishedAt)}.`} Links are samples.
      </p>
      <Loaded query={message} lines={6}>
        {({ previewTopic, channels }) => {
          const texts = new Map(previewTopic.texts.map(({ part, text }) => [part, text]));
          const parts = channels.find((channel) => channel.medium === medium)?.parts ?? [];
          return parts.map(({ name, label, isHtml, rows }) => {
            const text = texts.get(name) ?? '';
            if (isHtml) return <MailFrame key={name} html={text} width="desktop" />;
            return rows === 1 ? (
              <p key={name} class="preview-subject">
                <span class="muted">{label}</span> <strong>{text}</strong>
              </p>
            ) : (
              <details key={name} open={!parts.some((part) => part.isHtml)}>
                <summary>{label}</summary>
                <pre class="preview-text" tabIndex={0} aria-label={label}>
                  {text}
                </pre>
              </details>
            );
          });
        }}
      </Loaded>
    </Dialog>
  );
}
