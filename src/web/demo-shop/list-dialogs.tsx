import type { JSX } from 'preact';
import type { Item, List } from '../../sdk/client/wishgate.ts';
import { toInput } from './actions.ts';
import type { Product } from './api.ts';
import { client } from './client.ts';
import { Form, Modal } from './overlay.tsx';
import { changeItem, changeList, moveItem, putItem, putList, together } from './patches.ts';
import { goTo } from './route.ts';
import { useShop } from './state.ts';

function NameField({ label, value = '' }: { label: string; value?: string }): JSX.Element {
  return (
    <label class="grow">
      {label}
      <input name="lname" required minLength={3} maxLength={50} defaultValue={value} placeholder="Birthday" />
    </label>
  );
}

/** Puts a product into lists and takes it out, each at once. */
export function PickLists({ product }: { product: Product }): JSX.Element {
  const { lists, lidsOf, make, change, saveTo, removeFrom, bringBack, show } = useShop();
  const inLists = lidsOf(product.epi);
  const toggle = ({ lid, lname }: List): void => {
    if (inLists.includes(lid))
      void make(removeFrom([lid], product), `Removed from ${lname}`, bringBack([lid], toInput(product)));
    else void make(saveTo(product, lid), `Saved to ${lname}`);
  };
  const create = async (value: (name: string) => string, form: HTMLFormElement): Promise<void> => {
    const lname = value('lname');
    await change({
      otherwise: `${lname} was not made`,
      patch: (all) => all,
      call: async () => {
        const list = await client.createList({ lname });
        await client.addToList(list.lid, toInput(product));
        return together(putList(list), putItem(list.lid, toInput(product)));
      },
    });
    form.reset();
    show(`Saved to ${lname}`);
  };
  return (
    <Modal title={`Lists for ${product.dt}`}>
      <ul class="choices">
        {lists
          .filter(({ lid }) => lid !== '')
          .map((list) => (
            <li key={list.lid}>
              <label class="check">
                <input type="checkbox" checked={inLists.includes(list.lid)} onChange={() => toggle(list)} />
                <span>{list.lname}</span>
                <span class="hint">{list.cnt}</span>
              </label>
            </li>
          ))}
      </ul>
      <Form isRow submit="Create" onSubmit={create}>
        <NameField label="New list" />
      </Form>
    </Modal>
  );
}

/** Names a new list, or one that is there anew. */
export function NameList({ list }: { list: List | null }): JSX.Element {
  const { change, show, close } = useShop();
  const send = async (value: (name: string) => string): Promise<void> => {
    const lname = value('lname');
    let lid = list?.lid ?? '';
    await change({
      otherwise: `${lname} is not its name yet`,
      patch: list ? changeList(list.lid, { lname }) : (all) => all,
      call: async () => {
        if (list) return void (await client.updateList({ lid: list.lid, lname }));
        const made = await client.createList({ lname });
        lid = made.lid;
        return putList(made);
      },
    });
    show(list ? `It is called ${lname} now` : `${lname} is ready`);
    close(() => {
      if (!list) goTo(`lists/${lid}`);
    });
  };
  return (
    <Modal title={list ? `Rename ${list.lname}` : 'A new list'}>
      <Form submit={list ? 'Rename' : 'Create list'} onSubmit={send}>
        <NameField label="Name" value={list?.lname ?? ''} />
      </Form>
    </Modal>
  );
}

/** Quantity, note and list of an item. */
export function EditItem({ item }: { item: Item }): JSX.Element {
  const { lists, make, close } = useShop();
  const { lid, epi, dt, title, qty, note } = item;
  const name = dt ?? title ?? 'this item';
  const send = async (value: (name: string) => string): Promise<void> => {
    const fields = { qty: Number(value('qty')), note: value('note') };
    const toLid = value('lid');
    const isMoved = toLid !== lid;
    const isChanged = fields.qty !== qty || fields.note !== (note ?? '');
    close();
    if (!isMoved && !isChanged) return;
    const edited = changeItem(lid, epi, fields);
    const moved = moveItem(lid, toLid, { ...item, ...fields });
    await make(
      {
        otherwise: `${name} is as it was`,
        patch: isMoved ? moved : edited,
        call: async () => {
          if (isChanged) await client.updateListItem(lid, { epi, ...fields });
          if (isMoved) await client.moveItems(lid, toLid, [epi]);
        },
      },
      isMoved ? `${name} moved to ${lists.find((list) => list.lid === toLid)?.lname ?? 'it'}` : 'Saved',
    );
  };
  return (
    <Modal title={`Edit ${name}`}>
      <Form submit="Save" onSubmit={send}>
        <label>
          Quantity
          <input name="qty" type="number" min="1" max="999" required defaultValue={String(qty)} />
        </label>
        <label>
          Note
          <textarea name="note" rows={3} maxLength={500} defaultValue={note ?? ''} />
        </label>
        <label>
          List
          <select name="lid" defaultValue={lid}>
            {lists
              .filter((list) => list.lid !== '')
              .map((list) => (
                <option key={list.lid} value={list.lid} selected={list.lid === lid}>
                  {list.lname}
                </option>
              ))}
          </select>
        </label>
      </Form>
    </Modal>
  );
}
