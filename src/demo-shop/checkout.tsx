import type { JSX } from 'preact';
import type { Product } from './api.ts';
import { client } from './client.ts';
import { Empty, Picture, money } from './parts.tsx';
import { useShop } from './state.ts';

function CartLine({ product }: { product: Product }): JSX.Element {
  const { cart, changeCart, saveForLater } = useShop();
  return (
    <li class="line">
      <Picture iu={product.iu} dt={product.dt} />
      <div class="grow">
        <h3>{product.dt}</h3>
        <p class="price">{money(product.pr)}</p>
      </div>
      <label class="quantity">
        <span class="visually-hidden">Quantity of {product.dt}</span>
        <input
          type="number"
          min="0"
          max="99"
          value={cart[product.epi]}
          onChange={(event) => changeCart(product.epi, Number(event.currentTarget.value))}
        />
      </label>
      <div class="actions">
        <button type="button" class="button" onClick={() => void saveForLater(product)}>
          Save for later
        </button>
        <button
          type="button"
          class="button plain"
          aria-label={`Remove ${product.dt}`}
          onClick={() => changeCart(product.epi, 0)}
        >
          Remove
        </button>
      </div>
    </li>
  );
}

function Saved(): JSX.Element | null {
  const { saved, moveToCart, attempt } = useShop();
  if (saved.length === 0) return null;
  return (
    <section aria-labelledby="saved">
      <h2 id="saved">Saved for later</h2>
      <ul class="lines">
        {saved.map((item) => (
          <li key={item.id} class="line">
            <Picture iu={item.iu} dt={item.dt} />
            <div class="grow">
              <h3>{item.dt}</h3>
              <p class="price">
                {money(item.pr)} {item.qty > 1 && <span class="hint">× {item.qty}</span>}
              </p>
            </div>
            <div class="actions">
              <button type="button" class="button primary" onClick={() => void moveToCart(item)}>
                Move to cart
              </button>
              <button
                type="button"
                class="button plain"
                aria-label={`Remove ${item.dt ?? ''} from saved for later`}
                onClick={() =>
                  void attempt(
                    () => client.SaveForLater.remove(item),
                    'Removed',
                    () => client.restoreItems(item.lid, [item.epi]),
                  )
                }
              >
                Remove
              </button>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function CartView(): JSX.Element {
  const { cart, byEpi, saved, placeOrder, decline } = useShop();
  const lines = Object.keys(cart).flatMap((epi) => byEpi.get(Number(epi)) ?? []);
  const total = lines.reduce((sum, { epi, pr }) => sum + pr * cart[epi]!, 0);
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
      <h1>Your cart</h1>
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
            <button type="button" class="button primary" onClick={() => void placeOrder()}>
              Place order
            </button>
            <button type="button" class="button plain" onClick={() => void decline()}>
              Do not measure my clicks and orders
            </button>
          </div>
        </>
      )}
      <Saved />
    </>
  );
}
