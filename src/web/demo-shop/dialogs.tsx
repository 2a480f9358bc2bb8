import { login, subscribe } from './actions.ts';
import { TOPICS } from './alerts.tsx';
import type { AlertTopic, Product } from './api.ts';
import { Form, Modal } from './overlay.tsx';
import type { FieldReader } from './overlay.tsx';
import { Field } from './parts.tsx';
import { close } from './route.ts';
import { nameOf, show } from './state.ts';

function EmailField() {
  return (
    <Field
      label="Email address"
      name="email"
      type="email"
      required
      autocomplete="email"
      placeholder="you@example.com"
    />
  );
}

type LoginProps = { reason: string; onDone?: () => unknown };

export function Login({ reason, onDone = close }: LoginProps) {
  const send = async (value: FieldReader): Promise<void> => {
    await login(value('email'));
    await onDone();
  };
  return (
    <Modal title="Sign in">
      <Form submit="Sign in" onSubmit={send}>
        <p>{reason}</p>
        <EmailField />
        <p class="hint">This is a demo: use any address. You don't need a password, and we won't email it.</p>
      </Form>
    </Modal>
  );
}

export function Notify({ product, topic }: { product: Product; topic: AlertTopic }) {
  const { title, text, when } = TOPICS[topic];
  const send = async (value: FieldReader): Promise<void> => {
    await subscribe(product, topic, value('email'));
    show(`We'll email ${value('email')} ${when}`);
    close();
  };
  return (
    <Modal title={title}>
      <Form submit="Notify me" onSubmit={send}>
        <p>{`${nameOf(product)} ${text}`}</p>
        <EmailField />
      </Form>
    </Modal>
  );
}
