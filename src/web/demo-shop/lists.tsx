import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Item, List, ListContents } from '../../sdk/client/wishgate.ts';
import { explain, isUnreachable } from './api.ts';
import { BuyButton, Hearts } from './buying.tsx';
import { client } from './client.ts';
import { RecentlyDeleted, countItems } from './deleted.tsx';
import { Login, Share } from './dialogs.tsx';
import { removeItem, removeList } from './list-actions.ts';
import { EditItem, NameList, madeLists } from './list-dialogs.tsx';
import { Button, Empty, Ghosts, Icon, RemoveButton, Row, Title, ToShop, money } from './parts.tsx';
import { focusHeading, open, replaceRoute } from './route.ts';
import { findProduct, shop } from './state.ts';

type ItemRowProps = { item: Item; level: 2 | 3; children?: ComponentChildren };

/** Without buttons of its own, an item has the hearts. */
function ItemRow({ item, level, children }: ItemRowProps) {
  const { epi, iu, dt, title, pr, qty, note } = item;
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
    <Row iu={iu} title={dt ?? title} slug={product?.slug} level={level} details={details}>
      <div class="flex actions">
        {product && <BuyButton product={product} />}
        {children ?? (product && <Hearts product={product} />)}
      </div>
    </Row>
  );
}

function OwnRow({ item, list }: { item: Item; list: List }) {
  const title = item.dt ?? item.title ?? '';
  return (
    <ItemRow item={item} level={3}>
      <Button class="plain" label={`Edit ${title}`} onClick={() => open(() => <EditItem item={item} />)}>
        Edit
      </Button>
      <RemoveButton label={`Remove ${title}`} onRemove={() => removeItem(list, item)} />
    </ItemRow>
  );
}

const LOGIN_TO_SHARE = 'Log in to share a list. Everything you saved as a guest comes with you.';

function OneList({ list }: { list: List }) {
  const { lid, lname, cnt, listcontents, anonRead } = list;
  const share = (): void => {
    const isGuest = shop.email === null;
    open(() => (isGuest ? <Login reason={LOGIN_TO_SHARE} share={list} /> : <Share lid={lid} />));
  };
  const remove = (): void => {
    void removeList(list);
    replaceRoute('lists');
    setTimeout(focusHeading);
  };
  const rows = listcontents.map((item) => <OwnRow key={item.epi} item={item} list={list} />);
  return (
    <section aria-labelledby="list-name">
      <div class="flex bar">
        <h2 id="list-name" class="grow">
          {lname} <span class="hint">{countItems(cnt) + (anonRead ? ' · shared' : '')}</span>
        </h2>
        <Button onClick={share}>
          <Icon name="share" /> Share
        </Button>
        <Button class="plain" onClick={() => open(() => <NameList list={list} />)}>
          Rename
        </Button>
        <Button class="plain" onClick={remove}>
          Delete list
        </Button>
      </div>
      {cnt === 0 && <p class="hint">Nothing here yet.</p>}
      <ul class="lines">{rows}</ul>
      {cnt > listcontents.length && <p class="hint">These are the newest {listcontents.length}.</p>}
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
  if (!list && shop.serverLists)
    return (
      <>
        <Empty title="No lists yet" tab="My lists">
          <p>Tap a heart in the shop, and your first list appears here.</p>
          <div class="flex actions">
            <ToShop />
            <NewList />
          </div>
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

function useShared(lid: string): { contents: ListContents | null; problem: string | null } {
  const { away } = shop;
  const [contents, setContents] = useState<ListContents | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    if (away !== null && contents) return;
    client.fetchListDetails({ lid }).then(
      (found) => isCurrent && (setContents(found), setProblem(null)),
      // The bar shows when the service is unreachable.
      (error: unknown) =>
        isCurrent && !isUnreachable(error) && (setContents(null), setProblem(explain(error))),
    );
    return () => void (isCurrent = false);
  }, [lid, away]);
  return { contents: contents?.list.lid === lid ? contents : null, problem };
}

export function SharedList({ lid }: { lid: string }) {
  const { contents, problem } = useShared(lid);
  if (problem)
    return (
      <Empty title="This list cannot be opened" tab="A shared list">
        <p>{problem}</p>
      </Empty>
    );
  if (!contents)
    return (
      <>
        <Title text="A shared list" />
        <Ghosts />
      </>
    );
  const owner = contents.userinfo?.fname || contents.userinfo?.em || 'A friend';
  return (
    <section>
      <p class="hint">{owner} shares a list with you</p>
      <Title text={contents.list.lname} />
      <ul class="lines">
        {contents.items.map((item) => (
          <ItemRow key={item.epi} item={item} level={2} />
        ))}
      </ul>
    </section>
  );
}
