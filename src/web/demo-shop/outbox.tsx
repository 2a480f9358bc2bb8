import PostalMime from 'postal-mime';
import { useEffect, useState } from 'preact/hooks';
import type { OutboxMail, OutboxSms } from '../demo-store/message.ts';
import { backend } from './api.ts';
import { Button, Icon } from './parts.tsx';

type Sms = OutboxSms & { subject?: undefined };
type Email = {
  id: string;
  sentAt: number;
  from: string;
  to: string;
  subject: string;
  html: string;
  text: string;
};

const POLL_MS = 1500;
const LINK = /(https?:\/\/[^\s<>"]+)/;

const clock = (at: number): string => new Date(at).toLocaleTimeString('en', { timeStyle: 'short' });

async function read(message: OutboxMail | OutboxSms): Promise<Email | Sms> {
  if (!('eml' in message)) return message;
  const { id, sentAt, eml } = message;
  const { from, to, subject = '', html = '', text = '' } = await PostalMime.parse(eml);
  const sender = [from?.name, from?.address && `<${from.address}>`].filter(Boolean).join(' ');
  return { id, sentAt, from: sender, to: to?.[0]?.address ?? '', subject, html: html && toFrame(html), text };
}

/** Opens links in a new tab, and loads the shop's pictures from the page's own origin, as the page's policy demands. */
function toFrame(html: string): string {
  const mail = new DOMParser().parseFromString(html, 'text/html');
  for (const link of mail.links) link.target = '_blank';
  for (const image of mail.images)
    if (image.src.includes('/demo/images/')) image.src = new URL(image.src).pathname;
  return `<!doctype html>${mail.documentElement.outerHTML}`;
}

/** Polls while the view is open, because messages are sent shortly after the restock. */
export function useOutbox(): (Email | Sms)[] | null {
  const [messages, setMessages] = useState<(Email | Sms)[] | null>(null);
  useEffect(() => {
    const load = async (): Promise<void> =>
      setMessages(await Promise.all((await backend.outbox()).map(read)));
    const tick = (): void => void load().catch(() => undefined);
    tick();
    const timer = setInterval(tick, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  return messages;
}

function Linked({ text }: { text: string }) {
  const parts = text.split(LINK).map((part, index) => {
    const short = part.length > 60 ? `${part.slice(0, 57)}…` : part;
    return index % 2 === 1 ? (
      <a href={part} target="_blank">
        {short}
      </a>
    ) : (
      part
    );
  });
  return <>{parts}</>;
}

/** The frame runs no scripts; it has the page's origin only so that its height can follow the email's. */
function MailFrame({ subject, html }: Email) {
  const [height, setHeight] = useState(400);
  const fit = ({ currentTarget }: { currentTarget: HTMLIFrameElement }): void => {
    const { body } = currentTarget.contentDocument!;
    new ResizeObserver(() => setHeight(body.scrollHeight)).observe(body);
  };
  return (
    <iframe
      class="mail"
      title={`Email: ${subject}`}
      sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
      srcdoc={html}
      height={height}
      onLoad={fit}
    />
  );
}

function EmailRow({ email, isNewest }: { email: Email; isNewest: boolean }) {
  const { from, to, subject, html, text, sentAt } = email;
  const [isOpen, setOpen] = useState(isNewest);
  const [isPlain, setPlain] = useState(html === '');
  return (
    <li class="flex line">
      <details class="grow" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <strong>{subject}</strong>
          <span class="hint">{`to ${to} · ${clock(sentAt)}`}</span>
        </summary>
        {isOpen && (
          <>
            <div class="flex bar">
              <p class="grow hint">From {from}</p>
              {html && (
                <Button
                  class="plain"
                  aria-pressed={isPlain}
                  label={`Plain text: ${subject}`}
                  onClick={() => setPlain(!isPlain)}
                >
                  Plain text
                </Button>
              )}
            </div>
            {isPlain ? (
              <p class="plain-text">
                <Linked text={text} />
              </p>
            ) : (
              <MailFrame {...email} />
            )}
          </>
        )}
      </details>
    </li>
  );
}

function SmsRow({ to, text, sentAt }: Sms) {
  return (
    <li class="sms">
      <p class="bubble">
        <Linked text={text} />
      </p>
      <span class="hint">{`SMS to ${to} · ${clock(sentAt)}`}</span>
    </li>
  );
}

export function Outbox({ messages }: { messages: (Email | Sms)[] | null }) {
  return (
    <section aria-labelledby="outbox">
      <h2 id="outbox">Outbox</h2>
      {messages?.length === 0 && (
        <div class="empty">
          <Icon name="bell" />
          <h3>No messages yet</h3>
          <p>Choose “Notify me” on a sold-out product, then restock it here.</p>
        </div>
      )}
      <ul class="lines">
        {messages?.map((message, index) =>
          message.subject === undefined ? (
            <SmsRow key={message.id} {...message} />
          ) : (
            <EmailRow key={message.id} email={message} isNewest={index === 0} />
          ),
        )}
      </ul>
    </section>
  );
}
