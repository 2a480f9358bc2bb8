import type { ComponentChildren } from 'preact';
import type { Item, List } from '../../../packages/client/src/wishgate.ts';
import { explain, isUnreachable } from './api.ts';
import { BuyButton, Hearts } from './buying.tsx';
import { client } from './client.ts';
import { RecentlyDeleted, countItems } from './deleted.tsx';
import { share } from './share.tsx';
import { removeItem, removeList } from './list-actions.ts';
import { EditItem, NameList, madeLists } from './list-dialogs.tsx';
import { useLoaded } from './loaded.ts';
import { Button, Empty, Ghosts, Icon, RemoveButton, Row, Title, money } from './parts.tsx';
import { focusHeading, open } from './route.ts';
import { findProduct, linkTo, nameOf, shop } from './state.ts';

type ItemRowProps = { item: Item; level: 2 | 3; children?: ComponentChildren };

/** Without buttons of its own, an item has the hearts. */
function ItemRow({ item, level, children }: ItemRowProps) {
  const { epi, iu, pr, qty, note } = item;
  const product = findProduct(epi);
  const details = (
    <>
      <p class="price">
        {money(product?.pr ?? pr)} {qty > 1 && <span class="hint">× {qty}</span>}
        {product && product.stk <= 0 && <span class="hint"> · sold out</span>}
      </p>
      {note && <p class="note">{note}</p>}
    </>
  );
  return (
    <Row iu={iu} title={nameOf(item)} href={product && linkTo(product)} level={level} details={details}>
      <div class="flex actions">
        {product && <BuyButton product={product} />}
        {children ?? (product && <Hearts product={product} />)}
      </div>
    </Row>
  );
}

function OneList({ list }: { list: List }) {
  const { lname, cnt, listcontents, anonRead } = list;
  const remove = (): void => {
    void removeList(list);
    location.replace('#/lists');
    setTimeout(focusHeading);
  };
  const rows = listcontents.map((item) => {
    const title = nameOf(item);
    return (
      <ItemRow key={item.epi} item={item} level={3}>
        <Button class="plain" label={`Edit ${title}`} onClick={() => open(() => <EditItem item={item} />)}>
          Edit
        </Button>
        <RemoveButton label={`Remove ${title}`} onRemove={() => removeItem(list, item)} />
      </ItemRow>
    );
  });
  return (
    <section aria-labelledby="list-name">
      <div class="flex bar">
        <h2 id="list-name" class="grow">
          {lname} <span class="hint">{countItems(cnt) + (anonRead ? ' · shared' : '')}</span>
        </h2>
        <Button onClick={() => share(list)}>
          <Icon name="share" /> Share
        </Button>
        <Button class="plain" onClick={() => open(() => <NameList list={list} />)}>
          Rename
        </Button>
        <Button class="plain" onClick={remove}>
          Delete list
        </Button>
      </div>
      {cnt === 0 && <p class="hint">This list is empty. Tap a heart in the shop to add something.</p>}
      <ul class="lines">{rows}</ul>
      {cnt > listcontents.length && <p class="hint">Showing the newest {listcontents.length} items.</p>}
    </section>
  );
}

function NewList() {
  return (
    <Button class="plain" onClick={() => open(() => <NameList />)}>
      <Icon name="plus" /> New list
    </Button>
  );
}

export function Lists({ lid: wanted }: { lid: string }) {
  const lists = madeLists();
  const list = lists.find(({ lid }) => lid === wanted) ?? lists[0];
  const how = 'Tap a heart in the shop, and your first list appears here.';
  if (!list && shop.serverLists)
    return (
      <>
        <Empty title="No lists yet" tab="My lists" text={how}>
          <NewList />
        </Empty>
        <RecentlyDeleted />
      </>
    );
  return (
    <>
      <Title text="My lists" tab={list && `${list.lname} · My lists`} />
      <nav class="flex tabs" aria-label="Lists">
        {lists.map(({ lid, lname, cnt }) => (
          <a
            key={lid}
            class="button"
            href={`#/lists/${lid}`}
            aria-current={lid === list?.lid ? 'page' : undefined}
          >
            {lname} <span class="count">{cnt}</span>
          </a>
        ))}
        <NewList />
      </nav>
      {list ? <OneList list={list} /> : <Ghosts />}
      {list && <RecentlyDeleted list={list} />}
    </>
  );
}

export function SharedList({ lid }: { lid: string }) {
  const read = () =>
    client.fetchListDetails({ lid }).catch((error: unknown) => {
      // The bar shows when the service is unreachable.
      if (isUnreachable(error)) throw error;
      return explain(error);
    });
  const contents = useLoaded(read, [shop.away]);
  if (typeof contents === 'string')
    return <Empty title="We can't open this list" tab="Shared list" text={contents} />;
  if (!contents)
    return (
      <>
        <Title text="Shared list" />
        <Ghosts />
      </>
    );
  const owner = contents.userinfo?.fname || 'A friend';
  return (
    <section>
      <p class="hint">{owner} shared a list with you</p>
      <Title text={contents.list.lname} />
      <ul class="lines">
        {contents.items.map((item) => (
          <ItemRow key={item.epi} item={item} level={2} />
        ))}
      </ul>
    </section>
  );
}
