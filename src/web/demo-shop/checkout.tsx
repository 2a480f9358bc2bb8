import type { TargetedEvent } from 'preact';
import type { Item } from '../../../packages/client/src/wishgate.ts';
import { declineTracking, moveToCart, placeOrder, saveForLater, setQuantity } from './actions.ts';
import type { Product } from './api.ts';
import { WaitButton } from './buying.tsx';
import { removeSaved } from './list-actions.ts';
import { Button, Empty, RemoveButton, Row, Title, money } from './parts.tsx';
import { findProduct, linkTo, nameOf, shop } from './state.ts';

/** Limits the quantity to the stock, because the cart may come from another tab or an earlier day. */
const buyable = (qty: number | undefined, { stk }: Product): number => Math.min(qty ?? 0, Math.max(0, stk));

function CartRow({ product }: { product: Product }) {
  const { epi, stk, pr, iu } = product;
  const name = nameOf(product);
  const qty = shop.cart[epi];
  const set = ({ currentTarget }: TargetedEvent<HTMLInputElement>): void => {
    if (currentTarget.value !== '') setQuantity(product, () => Number(currentTarget.value));
    currentTarget.value = String(buyable(Number(currentTarget.value) || qty, product));
  };
  const details = (
    <>
      <p class="price">{money(pr)}</p>
      {stk < 10 && <p class="hint">{stk > 0 ? `Only ${stk} left` : 'Sold out'}</p>}
    </>
  );
  return (
    <Row iu={iu} title={name} href={linkTo(product)} level={2} details={details}>
      {stk > 0 && (
        <label class="quantity">
          <span class="visually-hidden">Quantity of {name}</span>
          <input type="number" min="0" max={stk} value={buyable(qty, product)} onChange={set} />
        </label>
      )}
      <div class="flex actions">
        {stk <= 0 && <WaitButton product={product} topic="backinstock" />}
        <Button label={`Save for later: ${name}`} onClick={() => saveForLater(product)}>
          Save for later
        </Button>
        <RemoveButton label={`Remove ${name}`} onRemove={() => setQuantity(product, () => 0)} />
      </div>
    </Row>
  );
}

function SavedRow({ item }: { item: Item }) {
  const { epi, iu, pr, qty } = item;
  const name = nameOf(item);
  const product = findProduct(epi);
  const isSoldOut = !product || product.stk <= 0;
  const details = (
    <p class="price">
      {money(pr)} {qty > 1 && <span class="hint">× {qty}</span>}
      {isSoldOut && <span class="hint"> · sold out</span>}
    </p>
  );
  return (
    <Row iu={iu} title={name} href={product && linkTo(product)} details={details}>
      <div class="flex actions">
        {!isSoldOut && (
          <Button class="primary" label={`Move to cart: ${name}`} onClick={() => moveToCart(item)}>
            Move to cart
          </Button>
        )}
        <RemoveButton label={`Remove ${name} from saved for later`} onRemove={() => removeSaved(item)} />
      </div>
    </Row>
  );
}

export function CartView() {
  const { cart, later } = shop;
  const products = Object.keys(cart).flatMap((epi) => findProduct(epi) ?? []);
  const rows = products.map((product) => <CartRow key={product.epi} product={product} />);
  const saved = (later?.listcontents ?? []).map((item) => <SavedRow key={item.epi} item={item} />);
  const lines = products.map((product) => ({
    epi: product.epi,
    quantity: buyable(cart[product.epi], product),
  }));
  const cents = products.map(({ pr }, index) => Math.round(pr * 100) * lines[index]!.quantity);
  const total = cents.reduce((sum, amount) => sum + amount, 0) / 100;
  return (
    <>
      {rows.length === 0 ? (
        <Empty icon="bag" title="Your cart is empty" tab="Your cart" text="What you add appears here." />
      ) : (
        <>
          <Title text="Your cart" />
          <ul class="lines">{rows}</ul>
          <p class="total">
            Total <strong>{money(total)}</strong>
          </p>
          <div class="flex actions place">
            <Button
              class="primary"
              disabled={total === 0}
              onClick={() => placeOrder(lines.filter(({ quantity }) => quantity > 0))}
            >
              Place order
            </Button>
            <Button class="plain" onClick={declineTracking}>
              Don't track my clicks and orders
            </Button>
          </div>
        </>
      )}
      {saved.length > 0 && (
        <section class="more" aria-labelledby="saved">
          <h2 id="saved">Saved for later</h2>
          <ul class="lines">{saved}</ul>
        </section>
      )}
    </>
  );
}
