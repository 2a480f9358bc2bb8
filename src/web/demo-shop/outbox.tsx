import PostalMime from 'postal-mime';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { OutboxMail, OutboxSms } from '../demo-store/message.ts';
import { fillFrame } from '../site/email-frame.ts';
import { backend } from './api.ts';

/** An SMS has no subject. */
type Message = OutboxSms & { from?: string; subject?: string; html?: string };

const POLL_MS = 1500;
const LINK = /(https?:\/\/[^\s<>"]+)/;

async function read(message: OutboxMail | OutboxSms): Promise<Message> {
  if (!('eml' in message)) return message;
  const { from, to, subject = '', html, text = '' } = await PostalMime.parse(message.eml);
  const sender = `${from?.name} <${from?.address}>`;
  return { ...message, from: sender, to: to?.[0]?.address ?? '', subject, html, text };
}

/** Polls while the view is open, because messages are sent shortly after the restock. */
function useOutbox(): Message[] | null {
  const [messages, setMessages] = useState<Message[] | null>(null);
  useEffect(() => {
    let isOpen = true;
    const load = async (): Promise<void> =>
      setMessages(await Promise.all((await backend.outbox()).map(read)));
    // One request at a time: on a slow machine they would pile up, and an older response could follow a newer one.
    const poll = async (): Promise<void> => {
      while (isOpen) {
        await load().catch(() => undefined);
        await new Promise((done) => setTimeout(done, POLL_MS));
      }
    };
    void poll();
    return () => void (isOpen = false);
  }, []);
  return messages;
}

function Text({ text }: { text: string }) {
  const link = (url: string) => <a href={url} target="_blank" children={url} />;
  const parts = text.split(LINK).map((part, index) => (index % 2 === 1 ? link(part) : part));
  return <p style="white-space: pre-wrap">{parts}</p>;
}

function MailFrame({ subject, html = '' }: Message) {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => fillFrame(frame.current!, html), []);
  return <iframe ref={frame} class="mail" title={`Email: ${subject}`} />;
}

function MessageRow({ message, isNewest }: { message: Message; isNewest: boolean }) {
  const { from, to, subject, html, text } = message;
  const [isOpen, setOpen] = useState(isNewest);
  const time = new Date(message.sentAt).toLocaleTimeString('en', { timeStyle: 'short' });
  if (subject === undefined)
    return (
      <li>
        <Text text={text} />
        <span class="hint">{`SMS to ${to} · ${time}`}</span>
      </li>
    );
  return (
    <li class="flex line">
      <details class="grow" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <strong>{subject}</strong>
          <span class="hint">{`to ${to} · ${time}`}</span>
        </summary>
        <p class="hint">From {from}</p>
        {isOpen && (html ? <MailFrame {...message} /> : <Text text={text} />)}
      </details>
    </li>
  );
}

export function Outbox() {
  const messages = useOutbox();
  return (
    <section aria-labelledby="outbox">
      <h2 id="outbox">Outbox</h2>
      {messages?.length === 0 && (
        <p class="hint">No messages yet. Choose “Notify me” on a sold-out product, then restock it here.</p>
      )}
      <ul class="lines">
        {messages?.map((message, index) => (
          <MessageRow key={message.id} message={message} isNewest={index === 0} />
        ))}
      </ul>
    </section>
  );
}
