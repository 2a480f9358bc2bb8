import type { JSX, SubmitEventHandler } from 'preact';
import { useState } from 'preact/hooks';
import type { List } from '../client/wishgate.ts';
import { backend } from './api.ts';
import type { AlertTopic, Product } from './api.ts';
import { client } from './client.ts';
import { Modal } from './parts.tsx';
import { toInput, useShop } from './state.ts';

type Submit = SubmitEventHandler<HTMLFormElement>;

const fieldOf = (form: HTMLFormElement, name: string): string =>
  (form.elements.namedItem(name) as HTMLInputElement).value.trim();

/** The form of a submission that the page handles itself. */
const formOf = (event: Parameters<Submit>[0]): HTMLFormElement => {
  event.preventDefault();
  return event.currentTarget;
};

function Login({ reason }: { reason: string }): JSX.Element {
  const { login, close } = useShop();
  const submit: Submit = (event) =>
    void login(fieldOf(formOf(event), 'email')).then((isDone) => isDone && close());
  return (
    <Modal title="Log in">
      <form onSubmit={submit}>
        <p>{reason}</p>
        <label>
          E-mail address
          <input name="email" type="email" required autocomplete="email" placeholder="you@example.com" />
        </label>
        <p class="hint">
          This is a demo: any address will do, there is no password, and nothing is sent to it.
        </p>
        <button class="button primary wide">Log in</button>
      </form>
    </Modal>
  );
}

function PickLists({ product }: { product: Product }): JSX.Element {
  const { lists, lidsOf, attempt } = useShop();
  const inLists = lidsOf.get(product.epi) ?? [];
  const toggle = ({ lid, lname }: List): void => {
    if (inLists.includes(lid))
      void attempt(
        () => client.deleteFromList(lid, product),
        `Removed from ${lname}`,
        () => client.restoreItems(lid, [product.epi]),
      );
    else void attempt(() => client.addToList(lid, toInput(product)), `Saved to ${lname}`);
  };
  const create: Submit = (event) => {
    const form = formOf(event);
    const lname = fieldOf(form, 'lname');
    void attempt(async () => {
      const { lid } = await client.createList({ lname });
      await client.addToList(lid, toInput(product));
      form.reset();
    }, `Saved to ${lname}`);
  };
  return (
    <Modal title={product.dt}>
      <ul class="choices">
        {(lists ?? []).map((list) => (
          <li key={list.lid}>
            <label class="check">
              <input type="checkbox" checked={inLists.includes(list.lid)} onChange={() => toggle(list)} />
              <span>{list.lname}</span>
              <span class="hint">{list.cnt}</span>
            </label>
          </li>
        ))}
      </ul>
      <form class="row" onSubmit={create}>
        <label class="grow">
          New list
          <input name="lname" required minLength={3} maxLength={50} placeholder="Birthday" />
        </label>
        <button class="button primary">Create</button>
      </form>
    </Modal>
  );
}

const ALERTS = {
  backinstock: {
    title: 'Tell me when it is back',
    text: 'is sold out. Leave your address, and one mail tells you when it is here again.',
    when: 'when it is back',
  },
  pricedrop: {
    title: 'Tell me when the price falls',
    text: 'may cost less some day. Leave your address, and one mail tells you when it does.',
    when: 'when it costs less',
  },
};

function Notify({ product, topic }: { product: Product; topic: AlertTopic }): JSX.Element {
  const { email, attempt, close } = useShop();
  const subscribe = async (address: string): Promise<void> => {
    // A customer's own address goes through the client; any other one through the shop's back end, which answers for it.
    if (address === email) await client.subscribeForProductAlert({ products: [product], topics: [topic] });
    else await backend.notify(address, product, topic);
  };
  const submit: Submit = (event) => {
    const address = fieldOf(formOf(event), 'email');
    void attempt(() => subscribe(address), `We will write to ${address} ${ALERTS[topic].when}`).then(
      (isDone) => isDone && close(),
    );
  };
  return (
    <Modal title={ALERTS[topic].title}>
      <form onSubmit={submit}>
        <p>
          {product.dt} {ALERTS[topic].text}
        </p>
        <label>
          E-mail address
          <input
            name="email"
            type="email"
            required
            autocomplete="email"
            defaultValue={email ?? ''}
            placeholder="you@example.com"
          />
        </label>
        <button class="button primary wide">Notify me</button>
      </form>
    </Modal>
  );
}

function Share({ list }: { list: List }): JSX.Element {
  const { attempt, show } = useShop();
  const [isPublic, setPublic] = useState(list.anonRead);
  const link = `${location.origin}/demo#/shared/${list.lid}`;
  const toggle = (): void => {
    const change = isPublic ? client.markListPrivate : client.markListPublic;
    void attempt(
      () => change(list.lid),
      isPublic ? 'Nobody else can open it now' : 'Whoever has the link can open it',
    ).then((isDone) => isDone && setPublic(!isPublic));
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(link);
      show('Link copied');
    } catch {
      // Not allowed, or not there at all: pages on plain HTTP have no clipboard.
      show('Please copy the link by hand', true);
    }
  };
  const send: Submit = (event) => {
    const form = formOf(event);
    const toemail = fieldOf(form, 'toemail');
    const fromname = fieldOf(form, 'fromname');
    void attempt(
      () => client.sendListViaEmail({ lid: list.lid, toemail, fromname }),
      `Sent to ${toemail}`,
    ).then((isDone) => {
      if (isDone) form.reset();
    });
  };
  return (
    <Modal title={`Share ${list.lname}`}>
      <label class="check">
        <input type="checkbox" checked={isPublic} onChange={toggle} />
        <span>Whoever has the link can see this list</span>
      </label>
      {isPublic && (
        <>
          <div class="row">
            <label class="grow">
              Link
              <input readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
            </label>
            <button type="button" class="button" onClick={() => void copy()}>
              Copy
            </button>
          </div>
          <form onSubmit={send}>
            <h3>Send it by mail</h3>
            <label>
              Your name
              <input name="fromname" required maxLength={100} />
            </label>
            <label>
              To
              <input name="toemail" type="email" required placeholder="friend@example.com" />
            </label>
            <button class="button primary wide">Send</button>
          </form>
        </>
      )}
    </Modal>
  );
}

export function Dialogs(): JSX.Element | null {
  const { dialog } = useShop();
  if (dialog === null) return null;
  if (dialog.kind === 'login') return <Login reason={dialog.reason} />;
  if (dialog.kind === 'pick') return <PickLists product={dialog.product} />;
  if (dialog.kind === 'notify') return <Notify product={dialog.product} topic={dialog.topic} />;
  return <Share list={dialog.list} />;
}
