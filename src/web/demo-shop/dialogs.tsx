import { login, logout, subscribe } from './actions.ts';
import { TOPICS } from './alerts.tsx';
import type { AlertTopic, Product } from './api.ts';
import { Form, Modal } from './overlay.tsx';
import { Field } from './parts.tsx';
import { close } from './route.ts';
import { nameOf, shop, show } from './state.ts';

type AskProps = {
  title: string;
  submit?: string;
  text: string;
  hint?: string;
  onEmail: (email: string) => Promise<unknown>;
};

function AskEmail({ title, submit = title, text, hint, onEmail }: AskProps) {
  return (
    <Modal title={title}>
      <Form submit={submit} onSubmit={(value) => onEmail(value('email'))}>
        <p>{text}</p>
        <Field
          label="Email address"
          name="email"
          type="email"
          required
          autocomplete="email"
          placeholder="you@example.com"
        />
        {hint && <p class="hint">{hint}</p>}
      </Form>
    </Modal>
  );
}

type LoginProps = { purpose?: string; onDone?: () => unknown };

export function Login({ purpose = 'keep your lists on every device', onDone = close }: LoginProps) {
  const send = (email: string): Promise<unknown> => login(email).then(() => onDone());
  const hint = "This is a demo: use any address. You don't need a password, and we won't email it.";
  const text = `Sign in to ${purpose}. Everything you saved as a guest comes with you.`;
  return <AskEmail title="Sign in" text={text} hint={hint} onEmail={send} />;
}

export function Account() {
  return (
    <Modal title="Your account">
      <Form submit="Sign out" onSubmit={async () => close(logout)}>
        <p>You're signed in as {shop.email}.</p>
      </Form>
    </Modal>
  );
}

export function Notify({ product, topic }: { product: Product; topic: AlertTopic }) {
  const { title, text, when } = TOPICS[topic];
  const send = async (email: string): Promise<void> => {
    await subscribe(product, topic, email);
    show(`We'll email ${email} ${when}`);
    close();
  };
  return <AskEmail title={title} submit="Notify me" text={`${nameOf(product)} ${text}`} onEmail={send} />;
}
