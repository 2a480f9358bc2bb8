import type { Item, List } from '../../../packages/client/src/wishgate.ts';
import { make } from './actions.ts';
import type { Product } from './api.ts';
import { client } from './client.ts';
import { lidsOf, toggleIn } from './list-actions.ts';
import { Form, Modal } from './overlay.tsx';
import type { FieldReader } from './overlay.tsx';
import { Field } from './parts.tsx';
import { changeItem, changeList, dropItem, putItem, putList, together } from './patches.ts';
import { close } from './route.ts';
import { nameOf, shop, show } from './state.ts';
import { change } from './wishes.ts';

function NameField({ label, value }: { label: string; value?: string }) {
  return (
    <Field
      class="grow"
      label={label}
      name="lname"
      required
      minLength={3}
      maxLength={50}
      defaultValue={value}
      placeholder="Birthday"
    />
  );
}

/** The lists that exist in the service; one that is being created has no id yet. */
export const madeLists = (): List[] => shop.lists.filter(({ lid }) => lid !== '');

export function PickLists({ product }: { product: Product }) {
  const inLists = lidsOf(product.epi);
  const create = async (value: FieldReader, form: HTMLFormElement): Promise<void> => {
    const lname = value('lname');
    await change({
      otherwise: `${lname} wasn't created`,
      call: async () => {
        const list = await client.createList({ lname });
        await client.addToList(list.lid, product);
        return together(putList(list), putItem(list.lid, product));
      },
    });
    form.reset();
    show(`Saved to ${lname}`);
  };
  const choices = madeLists().map((list) => (
    <li key={list.lid}>
      <label class="flex check">
        <input
          type="checkbox"
          checked={inLists.includes(list.lid)}
          onChange={() => void toggleIn(list, product)}
        />
        <span>{list.lname}</span>
        <span class="hint">{list.cnt}</span>
      </label>
    </li>
  ));
  return (
    <Modal title={`Lists for ${nameOf(product)}`}>
      <ul class="lines">{choices}</ul>
      <Form isRow submit="Create" onSubmit={create}>
        <NameField label="New list" />
      </Form>
    </Modal>
  );
}

export function NameList({ list }: { list?: List }) {
  const send = async (value: FieldReader): Promise<void> => {
    const lname = value('lname');
    let madeLid = '';
    await change({
      otherwise: list ? `The list wasn't renamed` : `The list wasn't created`,
      patch: list && changeList(list.lid, { lname }),
      call: async () => {
        if (list) return void (await client.updateList({ lid: list.lid, lname }));
        const made = await client.createList({ lname });
        madeLid = made.lid;
        return putList(made);
      },
    });
    show(list ? `List renamed to ${lname}` : `${lname} created`);
    close(() => {
      if (!list) location.hash = `#/lists/${madeLid}`;
    });
  };
  return (
    <Modal title={list ? `Rename ${list.lname}` : 'New list'}>
      <Form submit={list ? 'Rename' : 'Create list'} onSubmit={send}>
        <NameField label="Name" value={list?.lname} />
      </Form>
    </Modal>
  );
}

export function EditItem({ item }: { item: Item }) {
  const { lid, epi, qty, note } = item;
  const name = nameOf(item) || 'this item';
  const send = async (value: FieldReader): Promise<void> => {
    const fields = { qty: Number(value('qty')), note: value('note') };
    const toLid = value('lid');
    const isMoved = toLid !== lid;
    const isChanged = fields.qty !== qty || fields.note !== (note ?? '');
    close();
    if (!isMoved && !isChanged) return;
    const to = shop.lists.find((list) => list.lid === toLid);
    await make(
      {
        otherwise: `${name} wasn't changed`,
        patch: isMoved
          ? together(dropItem(lid, epi), putItem(toLid, { ...item, ...fields }))
          : changeItem(lid, epi, fields),
        call: async () => {
          if (isChanged) await client.updateListItem(lid, { epi, ...fields });
          if (isMoved) await client.moveItems(lid, toLid, [epi]);
        },
      },
      isMoved ? `${name} moved to ${to?.lname ?? 'another list'}` : 'Saved',
    );
  };
  return (
    <Modal title={`Edit ${name}`}>
      <Form submit="Save" onSubmit={send}>
        <Field label="Quantity" name="qty" type="number" min="1" max="999" required defaultValue={`${qty}`} />
        <label>
          Note
          <textarea name="note" rows={3} maxLength={500} defaultValue={note ?? ''} />
        </label>
        <label>
          List
          <select name="lid">
            {madeLists().map((list) => (
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
