import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Item, List, ListContents } from '../../sdk/client/wishgate.ts';
import { explain, isUnreachable } from './api.ts';
import { client } from './client.ts';
import { RecentlyDeleted } from './deleted.tsx';
import {
  BuyButton,
  Empty,
  Ghosts,
  Hearts,
  Icon,
  Picture,
  RemoveButton,
  RowTitle,
  Title,
  money,
} from './parts.tsx';
import { dropList, putList } from './patches.ts';
import { focusHeading, replaceRoute, useTitle } from './route.ts';
import { useShop } from './state.ts';

/** What the row of an item says; its buttons follow from what the visitor may do. */
function Row({ item, level, children }: { item: Item; level: 2 | 3; children: JSX.Element }): JSX.Element {
  const { byEpi } = useShop();
  const product = byEpi.get(Number(item.epi));
  const title = item.dt ?? item.title;
  return (
    <li class="line">
      <Picture iu={item.iu} />
      <div class="grow">
        <RowTitle level={level}>{product ? <a href={`#/p/${product.slug}`}>{title}</a> : title}</RowTitle>
        <p class="price">
          {money(product?.pr ?? item.pr)} {item.qty > 1 && <span class="hint">× {item.qty}</span>}
          {product && product.stk <= 0 && <span class="hint"> · sold out</span>}
        </p>
        {item.note && <p class="note">{item.note}</p>}
      </div>
      <div class="actions">
        {product && <BuyButton product={product} />}
        {children}
      </div>
    </li>
  );
}

function OwnRow({ item, list }: { item: Item; list: List }): JSX.Element {
  const { make, removeFrom, bringBack, open } = useShop();
  const title = item.dt ?? item.title ?? '';
  const remove = (): void =>
    void make(
      removeFrom([list.lid], item),
      `${title} removed from ${list.lname}`,
      bringBack([list.lid], item),
    );
  return (
    <Row item={item} level={3}>
      <>
        <button
          type="button"
          class="button plain"
          aria-label={`Edit ${title}`}
          onClick={() => open({ kind: 'edit', item })}
        >
          Edit
        </button>
        <RemoveButton label={`Remove ${title}`} onRemove={remove} />
      </>
    </Row>
  );
}

function OneList({ list }: { list: List }): JSX.Element {
  const { email, open, make } = useShop();
  const { lid, lname, cnt, listcontents, anonRead } = list;
  const share = (): void =>
    email === null
      ? open({
          kind: 'login',
          reason: 'Log in to share a list. Everything you saved as a guest comes with you.',
          share: list,
        })
      : open({ kind: 'share', lid });
  const remove = (): void => {
    void make(
      {
        otherwise: `${lname} was not deleted`,
        patch: dropList(lid),
        call: () => client.deleteList(lid),
      },
      `${lname} deleted`,
      { otherwise: `${lname} is not back`, patch: putList(list), call: () => client.restoreList(lid) },
    );
    replaceRoute('lists');
    setTimeout(focusHeading);
  };
  return (
    <section aria-labelledby="list-name">
      <div class="bar">
        <h2 id="list-name" class="grow">
          {lname}{' '}
          <span class="hint">
            {cnt === 1 ? '1 item' : `${cnt} items`}
            {anonRead && ' · shared'}
          </span>
        </h2>
        <button type="button" class="button" onClick={share}>
          <Icon name="share" /> Share
        </button>
        <button type="button" class="button plain" onClick={() => open({ kind: 'name', list })}>
          Rename
        </button>
        <button type="button" class="button plain" onClick={remove}>
          Delete list
        </button>
      </div>
      {cnt === 0 && <p class="hint">Nothing here yet.</p>}
      <ul class="lines">
        {listcontents.map((item) => (
          <OwnRow key={item.epi} item={item} list={list} />
        ))}
      </ul>
      {cnt > listcontents.length && <p class="hint">These are the newest {listcontents.length}.</p>}
    </section>
  );
}

function NewList(): JSX.Element {
  const { open } = useShop();
  return (
    <button type="button" class="button plain" onClick={() => open({ kind: 'name', list: null })}>
      <Icon name="plus" /> New list
    </button>
  );
}

/** The visitor's lists; the one in the address is open, else the first. */
export function Lists({ lid: wanted }: { lid: string }): JSX.Element {
  const { lists, areListsKnown } = useShop();
  // A list that is being made has no address yet.
  const known = lists.filter(({ lid }) => lid !== '');
  const list = known.find(({ lid }) => lid === wanted) ?? known[0];
  useTitle(list ? `${list.lname} · My lists` : 'My lists');
  if (!list && areListsKnown)
    return (
      <>
        <Empty title="No lists yet">
          <p>Tap a heart in the shop, and your first list appears here.</p>
          <div class="actions middle">
            <a class="button primary" href="#/">
              To the shop
            </a>
            <NewList />
          </div>
        </Empty>
        <RecentlyDeleted list={null} />
      </>
    );
  return (
    <>
      <Title>My lists</Title>
      <nav class="tabs" aria-label="Lists">
        {known.map(({ lid, lname, cnt }) => (
          <a
            key={lid}
            class="tab"
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

/** Reads somebody's public list, again when the service is back. */
function useShared(lid: string): { contents: ListContents | null; problem: string | null } {
  const { away } = useShop();
  const [contents, setContents] = useState<ListContents | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    if (away !== null && contents) return;
    client.fetchListDetails({ lid }).then(
      (answer) => isCurrent && (setContents(answer), setProblem(null)),
      // The bar says it where the service is away.
      (error: unknown) =>
        isCurrent && !isUnreachable(error) && (setContents(null), setProblem(explain(error))),
    );
    return () => void (isCurrent = false);
  }, [lid, away]);
  return { contents: contents?.list.lid === lid ? contents : null, problem };
}

/** Somebody else's public list. */
export function SharedList({ lid }: { lid: string }): JSX.Element {
  const { byEpi } = useShop();
  const { contents, problem } = useShared(lid);
  useTitle(contents?.list.lname ?? 'A shared list');
  if (problem)
    return (
      <Empty title="This list cannot be opened">
        <p>{problem}</p>
      </Empty>
    );
  if (!contents)
    return (
      <>
        <Title>A shared list</Title>
        <Ghosts />
      </>
    );
  const owner = contents.userinfo?.fname || contents.userinfo?.em || 'A friend';
  return (
    <section>
      <p class="hint">{owner} shares a list with you</p>
      <Title>{contents.list.lname}</Title>
      <ul class="lines">
        {contents.items.map((item) => {
          const product = byEpi.get(Number(item.epi));
          return (
            <Row key={item.epi} item={item} level={2}>
              <>{product && <Hearts product={product} />}</>
            </Row>
          );
        })}
      </ul>
    </section>
  );
}
