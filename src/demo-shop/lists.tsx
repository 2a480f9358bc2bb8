import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Item, List, ListContents } from '../client/wishgate.ts';
import { explain } from './api.ts';
import { client } from './client.ts';
import { BuyButton, Empty, Hearts, Icon, Picture, money } from './parts.tsx';
import { RecentlyDeleted } from './deleted.tsx';
import { useShop } from './state.ts';

/** Reads a list with its items, again whenever `version` changes. */
function useContents(
  lid: string | undefined,
  version: unknown,
): { contents: ListContents | null; problem: string | null } {
  const [contents, setContents] = useState<ListContents | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    if (lid === undefined) return;
    client.fetchListDetails({ lid }).then(
      (answer) => isCurrent && (setContents(answer), setProblem(null)),
      (error: unknown) => isCurrent && setProblem(explain(error)),
    );
    return () => void (isCurrent = false);
  }, [lid, version]);
  return { contents: contents?.list.lid === lid ? contents : null, problem };
}

function Row({ item, onRemove }: { item: Item; onRemove?: () => void }): JSX.Element {
  const { byEpi } = useShop();
  const product = byEpi.get(Number(item.epi));
  return (
    <li class="line">
      <Picture iu={item.iu} dt={item.dt} />
      <div class="grow">
        <h3>{item.dt ?? item.title}</h3>
        <p class="price">
          {money(item.pr)} {product && product.stk <= 0 && <span class="hint">· sold out</span>}
        </p>
      </div>
      <div class="actions">
        {product && <BuyButton product={product} />}
        {onRemove && (
          <button
            type="button"
            class="button plain"
            onClick={onRemove}
            aria-label={`Remove ${item.dt ?? ''}`}
          >
            Remove
          </button>
        )}
        {!onRemove && product && <Hearts product={product} />}
      </div>
    </li>
  );
}

function OneList({ list }: { list: List }): JSX.Element {
  const { email, open, attempt } = useShop();
  const { contents, problem } = useContents(list.lid, list);
  const share = (): void =>
    email === null
      ? open({
          kind: 'login',
          reason: 'Log in to share a list. Everything you saved as a guest comes with you.',
        })
      : open({ kind: 'share', list });
  const remove = (item: Item): void =>
    void attempt(
      () => client.deleteFromList(list.lid, item),
      `Removed from ${list.lname}`,
      () => client.restoreItems(list.lid, [item.epi]),
    );
  const removeList = (): void =>
    void attempt(
      () => client.deleteList(list.lid),
      `${list.lname} deleted`,
      () => client.restoreList(list.lid),
    );
  return (
    <section aria-labelledby="list-name">
      <div class="bar">
        <h2 id="list-name" class="grow">
          {list.lname} <span class="hint">{list.cnt === 1 ? '1 item' : `${list.cnt} items`}</span>
        </h2>
        <button type="button" class="button" onClick={share}>
          <Icon name="share" /> Share
        </button>
        <button type="button" class="button plain" onClick={removeList}>
          Delete list
        </button>
      </div>
      {problem && <p class="problem">{problem}</p>}
      {contents?.items.length === 0 && <p class="hint">Nothing here yet.</p>}
      <ul class="lines">
        {(contents?.items ?? []).map((item) => (
          <Row key={item.id} item={item} onRemove={() => remove(item)} />
        ))}
      </ul>
    </section>
  );
}

export function Lists(): JSX.Element {
  const { lists } = useShop();
  const [chosen, choose] = useState('');
  if (lists === null) return <p aria-busy="true">Loading…</p>;
  const list = lists.find(({ lid }) => lid === chosen) ?? lists[0];
  if (!list) {
    return (
      <>
        <Empty title="No lists yet">
          <p>Tap a heart in the shop, and your first list appears here.</p>
          <a class="button primary" href="#/">
            To the shop
          </a>
        </Empty>
        <RecentlyDeleted list={null} />
      </>
    );
  }
  return (
    <>
      <h1>My lists</h1>
      <div class="tabs" role="group" aria-label="Lists">
        {lists.map(({ lid, lname, cnt }) => (
          <button
            key={lid}
            type="button"
            class="tab"
            aria-pressed={lid === list.lid}
            onClick={() => choose(lid)}
          >
            {lname} <span class="count">{cnt}</span>
          </button>
        ))}
      </div>
      <OneList list={list} />
      <RecentlyDeleted list={list} />
    </>
  );
}

/** Somebody else's public list. */
export function SharedList({ lid }: { lid: string }): JSX.Element {
  const { contents, problem } = useContents(lid, lid);
  if (problem)
    return (
      <Empty title="This list cannot be opened">
        <p>{problem}</p>
      </Empty>
    );
  if (!contents) return <p aria-busy="true">Loading…</p>;
  const owner = contents.userinfo?.fname || contents.userinfo?.em || 'A friend';
  return (
    <section>
      <p class="hint">{owner} shares a list with you</p>
      <h1>{contents.list.lname}</h1>
      <ul class="lines">
        {contents.items.map((item) => (
          <Row key={item.id} item={item} />
        ))}
      </ul>
    </section>
  );
}
