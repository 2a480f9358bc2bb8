import type { JSX, TargetedEvent } from 'preact';
import type { Item } from '../../sdk/client/wishgate.ts';
import type { Product } from './api.ts';
import { client } from './client.ts';
import { Empty, Picture, RemoveButton, RowTitle, Title, WaitButton, money } from './parts.tsx';
import { dropItem, putItem } from './patches.ts';
import { useTitle } from './route.ts';
import { useShop } from './state.ts';

/** How many are bought: never more than there are, whatever another tab or an earlier day left in the cart. */
const bought = (qty: number | undefined, { stk }: Product): number => Math.min(qty ?? 0, Math.max(0, stk));

function CartLine({ product }: { product: Product }): JSX.Element {
  const { cart, setQuantity, saveForLater } = useShop();
  const { epi, dt, slug, stk, pr, iu } = product;
  const set = ({ currentTarget }: TargetedEvent<HTMLInputElement>): void => {
    if (currentTarget.value !== '') setQuantity(product, () => Number(currentTarget.value));
    // What was typed may be more than there is.
    currentTarget.value = String(bought(Number(currentTarget.value) || cart[epi], product));
  };
  return (
    <li class="line">
      <Picture iu={iu} />
      <div class="grow">
        <RowTitle level={2}>
          <a href={`#/p/${slug}`}>{dt}</a>
        </RowTitle>
        <p class="price">{money(pr)}</p>
        {stk < 10 && <p class="hint">{stk > 0 ? `Only ${stk} left` : 'Sold out'}</p>}
      </div>
      {stk > 0 && (
        <label class="quantity">
          <span class="visually-hidden">Quantity of {dt}</span>
          <input type="number" min="0" max={stk} value={bought(cart[epi], product)} onChange={set} />
        </label>
      )}
      <div class="actions">
        {stk <= 0 && <WaitButton product={product} topic="backinstock" />}
        <button
          type="button"
          class="button"
          aria-label={`Save for later: ${dt}`}
          onClick={() => void saveForLater(product)}
        >
          Save for later
        </button>
        <RemoveButton label={`Remove ${dt}`} onRemove={() => setQuantity(product, () => 0)} />
      </div>
    </li>
  );
}

function SavedLine({ item }: { item: Item }): JSX.Element {
  const { byEpi, moveToCart, make } = useShop();
  const { lid, epi, dt, iu, pr, qty } = item;
  const isSoldOut = (byEpi.get(Number(epi))?.stk ?? 0) <= 0;
  const remove = (): void =>
    void make(
      {
        otherwise: `${dt ?? 'It'} was not removed`,
        patch: dropItem(lid, epi),
        call: () => client.SaveForLater.remove(lid, { epi }),
      },
      `${dt ?? 'It'} is no longer saved for later`,
      {
        otherwise: 'It is not back',
        patch: putItem(lid, item),
        call: () => client.restoreItems(lid, [epi]),
      },
    );
  return (
    <li class="line">
      <Picture iu={iu} />
      <div class="grow">
        <RowTitle level={3}>{dt}</RowTitle>
        <p class="price">
          {money(pr)} {qty > 1 && <span class="hint">× {qty}</span>}
          {isSoldOut && <span class="hint"> · sold out</span>}
        </p>
      </div>
      <div class="actions">
        {!isSoldOut && (
          <button
            type="button"
            class="button primary"
            aria-label={`Move to cart: ${dt ?? ''}`}
            onClick={() => void moveToCart(item)}
          >
            Move to cart
          </button>
        )}
        <RemoveButton label={`Remove ${dt ?? ''} from saved for later`} onRemove={remove} />
      </div>
    </li>
  );
}

export function CartView(): JSX.Element {
  const { cart, byEpi, later, placeOrder, decline } = useShop();
  useTitle('Your cart');
  const lines = Object.keys(cart).flatMap((epi) => byEpi.get(Number(epi)) ?? []);
  const saved = later?.listcontents ?? [];
  const total = lines.reduce((sum, product) => sum + product.pr * bought(cart[product.epi], product), 0);
  const order = (): void =>
    void placeOrder(
      lines
        .map((product) => ({ epi: product.epi, quantity: bought(cart[product.epi], product) }))
        .filter(({ quantity }) => quantity > 0),
    );
  if (lines.length === 0 && saved.length === 0) {
    return (
      <Empty title="Your cart is empty">
        <a class="button primary" href="#/">
          To the shop
        </a>
      </Empty>
    );
  }
  return (
    <>
      <Title>Your cart</Title>
      {lines.length === 0 && <p class="hint">Nothing in the cart right now.</p>}
      <ul class="lines">
        {lines.map((product) => (
          <CartLine key={product.epi} product={product} />
        ))}
      </ul>
      {lines.length > 0 && (
        <>
          <p class="total">
            Total <strong>{money(total)}</strong>
          </p>
          <div class="actions place">
            <button type="button" class="button primary" disabled={total === 0} onClick={order}>
              Place order
            </button>
            <button type="button" class="button plain" onClick={() => void decline()}>
              Do not measure my clicks and orders
            </button>
          </div>
        </>
      )}
      {saved.length > 0 && (
        <section aria-labelledby="saved">
          <h2 id="saved">Saved for later</h2>
          <ul class="lines">
            {saved.map((item) => (
              <SavedLine key={item.epi} item={item} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
