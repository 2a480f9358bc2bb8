import type { JSX } from 'preact';
import type { List } from '../../sdk/client/wishgate.ts';
import type { AlertTopic, Product } from './api.ts';
import { client } from './client.ts';
import { EditItem, NameList, PickLists } from './list-dialogs.tsx';
import { Form, Modal } from './overlay.tsx';
import { changeList } from './patches.ts';
import { useShop } from './state.ts';

function Login({ reason, share }: { reason: string; share: List | undefined }): JSX.Element {
  const { login, open, close } = useShop();
  const send = async (value: (name: string) => string): Promise<void> => {
    await login(value('email'));
    if (!share) return close();
    // The guest's list may have joined one of the account's that has its name.
    const lists = await client.fetchLists();
    const list =
      lists.find(({ lid }) => lid === share.lid) ?? lists.find(({ lname }) => lname === share.lname);
    if (list) open({ kind: 'share', lid: list.lid });
    else close();
  };
  return (
    <Modal title="Log in">
      <Form submit="Log in" onSubmit={send}>
        <p>{reason}</p>
        <label>
          E-mail address
          <input name="email" type="email" required autocomplete="email" placeholder="you@example.com" />
        </label>
        <p class="hint">
          This is a demo: any address will do, there is no password, and nothing is sent to it.
        </p>
      </Form>
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
  const { subscribe, show, close } = useShop();
  const send = async (value: (name: string) => string): Promise<void> => {
    await subscribe(product, topic, value('email'));
    show(`We will write to ${value('email')} ${ALERTS[topic].when}`);
    close();
  };
  return (
    <Modal title={ALERTS[topic].title}>
      <Form submit="Notify me" onSubmit={send}>
        <p>
          {product.dt} {ALERTS[topic].text}
        </p>
        <label>
          E-mail address
          <input name="email" type="email" required autocomplete="email" placeholder="you@example.com" />
        </label>
      </Form>
    </Modal>
  );
}

function Share({ list }: { list: List }): JSX.Element {
  const { make, show } = useShop();
  const { lid, lname, anonRead } = list;
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
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(link);
      show('Link copied');
    } catch {
      // Not allowed, or not there at all: pages on plain HTTP have no clipboard.
      show('Please copy the link by hand', true);
    }
  };
  const send = async (value: (name: string) => string, form: HTMLFormElement): Promise<void> => {
    await client.sendListViaEmail({ lid, toemail: value('toemail'), fromname: value('fromname') });
    show(`Sent to ${value('toemail')}`);
    form.reset();
  };
  return (
    <Modal title={`Share ${lname}`}>
      <label class="check">
        <input type="checkbox" checked={anonRead} onChange={toggle} />
        <span>Whoever has the link can see this list</span>
      </label>
      {anonRead && (
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
          <Form submit="Send" onSubmit={send}>
            <h3>Send it by mail</h3>
            <label>
              Your name
              <input name="fromname" required maxLength={100} autocomplete="name" />
            </label>
            <label>
              To
              <input name="toemail" type="email" required placeholder="friend@example.com" />
            </label>
          </Form>
        </>
      )}
    </Modal>
  );
}

export function Dialogs(): JSX.Element | null {
  const { dialog, lists } = useShop();
  if (dialog === null) return null;
  if (dialog.kind === 'login') return <Login key="login" reason={dialog.reason} share={dialog.share} />;
  if (dialog.kind === 'pick') return <PickLists product={dialog.product} />;
  if (dialog.kind === 'notify') return <Notify product={dialog.product} topic={dialog.topic} />;
  if (dialog.kind === 'name') return <NameList list={dialog.list} />;
  if (dialog.kind === 'edit') return <EditItem item={dialog.item} />;
  const list = lists.find(({ lid }) => lid === dialog.lid);
  return list ? <Share key="share" list={list} /> : null;
}
