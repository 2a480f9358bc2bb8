import type { List } from '../../../packages/client/src/wishgate.ts';
import { make } from './actions.ts';
import { client } from './client.ts';
import { Login } from './dialogs.tsx';
import { Form, Modal } from './overlay.tsx';
import type { FieldReader } from './overlay.tsx';
import { Button, Field } from './parts.tsx';
import { changeList } from './patches.ts';
import { close, open } from './route.ts';
import { shop, show } from './state.ts';

const setShared = ({ lid, lname }: List, anonRead: boolean): Promise<boolean> =>
  make(
    {
      otherwise: `${lname} is ${anonRead ? 'not shared yet' : 'still shared'}`,
      patch: changeList(lid, { anonRead }),
      call: () => (anonRead ? client.markListPublic(lid) : client.markListPrivate(lid)),
    },
    anonRead ? undefined : `${lname} is private now. The link no longer works.`,
  );

/** The clipboard may be blocked, or missing as on plain HTTP. */
async function copy(link: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link);
    show('Link copied');
  } catch {
    show("We can't access the clipboard. Please select the link and copy it.", true);
  }
}

/** Opens the dialog again after signing in; the guest's list may have been merged into the account's list of that name. */
function signInToEmail({ lid, lname }: List): void {
  const onDone = async (): Promise<void> => {
    const lists = await client.fetchLists();
    const list = lists.find((own) => own.lid === lid) ?? lists.find((own) => own.lname === lname);
    if (list) share(list);
    else close();
  };
  open(() => <Login purpose="email a list" onDone={onDone} />);
}

function EmailList({ list }: { list: List }) {
  const send = async (value: FieldReader, form: HTMLFormElement): Promise<void> => {
    const [toemail, fromname] = [value('toemail'), value('fromname')];
    const { lang: language } = document.documentElement;
    await client.sendListViaEmail({ lid: list.lid, toemail, fromname, language });
    show(`List emailed to ${toemail}`);
    form.reset();
  };
  if (shop.email === null)
    return (
      <div class="flex beside">
        <p class="grow hint">Emailing a list needs an account. Sign in first.</p>
        <Button onClick={() => signInToEmail(list)}>Sign in</Button>
      </div>
    );
  return (
    <Form submit="Send email" onSubmit={send}>
      <h3>Email this list</h3>
      <Field label="Your name" name="fromname" required maxLength={100} autocomplete="name" />
      <Field label="To" name="toemail" type="email" required placeholder="friend@example.com" />
    </Form>
  );
}

/** Makes the list public as its dialog opens, so that the link in it works. */
export function share(list: List): void {
  open(() => <Share lid={list.lid} />);
  if (!list.anonRead) void setShared(list, true);
}

function Share({ lid }: { lid: string }) {
  const list = shop.lists.find((known) => known.lid === lid);
  if (!list) return null;
  const link = `${location.origin}/demo#/shared/${lid}`;
  return (
    <Modal title={`Share ${list.lname}`}>
      <div class="flex row">
        <Field
          class="grow"
          label="Link"
          readOnly
          value={link}
          onFocus={(event) => event.currentTarget.select()}
        />
        <Button class="primary" onClick={() => copy(link)}>
          Copy
        </Button>
      </div>
      <div class="flex beside">
        <p class="grow hint">Anyone with this link can see the list.</p>
        <Button class="plain" onClick={() => (void setShared(list, false), close())}>
          Stop sharing
        </Button>
      </div>
      <EmailList list={list} />
    </Modal>
  );
}
