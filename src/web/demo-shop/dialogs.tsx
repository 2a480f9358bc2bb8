import type { List } from '../../sdk/client/wishgate.ts';
import { login, make, subscribe } from './actions.ts';
import { TOPICS } from './alerts.tsx';
import type { AlertTopic, Product } from './api.ts';
import { client } from './client.ts';
import { Form, Modal } from './overlay.tsx';
import type { FieldReader } from './overlay.tsx';
import { Button, Field } from './parts.tsx';
import { changeList } from './patches.ts';
import { close, open } from './route.ts';
import { shop, show } from './state.ts';

function EmailField() {
  return (
    <Field
      label="E-mail address"
      name="email"
      type="email"
      required
      autocomplete="email"
      placeholder="you@example.com"
    />
  );
}

export function Login({ reason, share }: { reason: string; share?: List }) {
  const send = async (value: FieldReader): Promise<void> => {
    await login(value('email'));
    if (!share) return close();
    // The guest's list may have been merged into the account's list of that name.
    const lists = await client.fetchLists();
    const list =
      lists.find(({ lid }) => lid === share.lid) ?? lists.find(({ lname }) => lname === share.lname);
    if (list) open(() => <Share lid={list.lid} />);
    else close();
  };
  return (
    <Modal title="Log in">
      <Form submit="Log in" onSubmit={send}>
        <p>{reason}</p>
        <EmailField />
        <p class="hint">
          This is a demo: any address will do, there is no password, and nothing is sent to it.
        </p>
      </Form>
    </Modal>
  );
}

export function Notify({ product, topic }: { product: Product; topic: AlertTopic }) {
  const { title, text, done } = TOPICS[topic];
  const send = async (value: FieldReader): Promise<void> => {
    await subscribe(product, topic, value('email'));
    show(`We will write to ${value('email')} ${done}`);
    close();
  };
  return (
    <Modal title={title}>
      <Form submit="Notify me" onSubmit={send}>
        <p>{`${product.dt} ${text}`}</p>
        <EmailField />
      </Form>
    </Modal>
  );
}

/** The clipboard may be blocked, or missing as on plain HTTP. */
async function copy(link: string): Promise<void> {
  const isCopied = await navigator.clipboard?.writeText(link).then(
    () => true,
    () => false,
  );
  show(isCopied ? 'Link copied' : 'Please copy the link by hand', !isCopied);
}

export function Share({ lid }: { lid: string }) {
  const list = shop.lists.find((known) => known.lid === lid);
  if (!list) return null;
  const { lname, anonRead } = list;
  const link = `${location.origin}/demo#/shared/${lid}`;
  const toggle = (): void =>
    void make(
      {
        otherwise: `${lname} is still ${anonRead ? 'shared' : 'private'}`,
        patch: changeList(lid, { anonRead: !anonRead }),
        call: () => (anonRead ? client.markListPrivate(lid) : client.markListPublic(lid)),
      },
      anonRead ? 'Nobody else can open it now' : 'Whoever has the link can open it',
    );
  const send = async (value: FieldReader, form: HTMLFormElement): Promise<void> => {
    await client.sendListViaEmail({ lid, toemail: value('toemail'), fromname: value('fromname') });
    show(`Sent to ${value('toemail')}`);
    form.reset();
  };
  return (
    <Modal title={`Share ${lname}`}>
      <label class="flex check">
        <input type="checkbox" checked={anonRead} onChange={toggle} />
        <span>Whoever has the link can see this list</span>
      </label>
      {anonRead && (
        <>
          <div class="flex row">
            <Field
              class="grow"
              label="Link"
              readOnly
              value={link}
              onFocus={(event) => event.currentTarget.select()}
            />
            <Button onClick={() => copy(link)}>Copy</Button>
          </div>
          <Form submit="Send" onSubmit={send}>
            <h3>Send it by mail</h3>
            <Field label="Your name" name="fromname" required maxLength={100} autocomplete="name" />
            <Field label="To" name="toemail" type="email" required placeholder="friend@example.com" />
          </Form>
        </>
      )}
    </Modal>
  );
}
