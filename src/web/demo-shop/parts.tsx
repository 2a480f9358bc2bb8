import type { ComponentChildren, JSX, TargetedEvent } from 'preact';
import type { AlertTopic, Product } from './api.ts';
import { focusHeading } from './route.ts';
import { useShop } from './state.ts';

const PATHS = {
  heart: 'M12 20.5S3.5 15.4 3.5 9.4A4.7 4.7 0 0 1 12 6.7a4.7 4.7 0 0 1 8.5 2.7c0 6-8.5 11.1-8.5 11.1z',
  bag: 'M5 8.5h14l-1 12H6l-1-12zM8.5 8.5V7a3.5 3.5 0 0 1 7 0v1.5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.6-4 3.6-6 7.5-6s6.9 2 7.5 6',
  shop: 'M4 10h16l-1 10.5H5L4 10zM3 10l2-6h14l2 6',
  bell: 'M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15L6 16.5zM10 20.5h4',
  plus: 'M12 5v14M5 12h14',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6L6 18',
  share: 'M12 15V4M8 7.5L12 4l4 3.5M5 12v8h14v-8',
};

export function Icon({ name, isFull = false }: { name: keyof typeof PATHS; isFull?: boolean }): JSX.Element {
  return (
    <svg class={isFull ? 'icon full' : 'icon'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export const money = (amount: number | null): string =>
  amount === null ? '' : new Intl.NumberFormat('en', { style: 'currency', currency: 'EUR' }).format(amount);

/** The picture of a product; it says nothing where the title stands beside it. */
export function Picture({ iu, dt = '' }: { iu: string | null; dt?: string | null }): JSX.Element {
  // Records hold the public address; the picture itself always comes from where the page came from.
  const src = iu === null ? undefined : new URL(iu, location.href).pathname;
  return <img class="picture" src={src} alt={dt ?? ''} width="400" height="300" />;
}

/** The price, and what it was before it was reduced. */
export function Price({ product }: { product: Product }): JSX.Element {
  const { pr, fullPrice } = product;
  return (
    <p class="price">
      {money(pr)}
      {pr < fullPrice && (
        <>
          {' '}
          <s>
            <span class="visually-hidden">instead of </span>
            {money(fullPrice)}
          </s>
        </>
      )}
    </p>
  );
}

/** The heart saves to the first list; the plus beside it chooses lists. */
export function Hearts({ product }: { product: Product }): JSX.Element {
  const { lidsOf, areListsKnown, toggleHeart, open } = useShop();
  const isSaved = lidsOf(product.epi).length > 0;
  return (
    <div class={areListsKnown || isSaved ? 'hearts' : 'hearts unknown'}>
      <button
        type="button"
        class="round"
        aria-pressed={isSaved}
        aria-label={isSaved ? `Remove ${product.dt} from your lists` : `Save ${product.dt}`}
        onClick={() => void toggleHeart(product)}
      >
        <Icon name="heart" isFull={isSaved} />
      </button>
      <button
        type="button"
        class="round"
        aria-label={`Choose lists for ${product.dt}`}
        onClick={() => open({ kind: 'pick', product })}
      >
        <Icon name="plus" />
      </button>
    </div>
  );
}

const WAITING = { backinstock: 'We will tell you', pricedrop: 'Watching the price' };
const ASK = { backinstock: 'Notify me', pricedrop: 'Watch the price' };

/** Asks to be told of a product; a customer is asked nothing more. Who waits already sees it, and is led to where one can leave. */
export function WaitButton({ product, topic }: { product: Product; topic: AlertTopic }): JSX.Element {
  const { email, waitsFor, subscribe, attempt, open } = useShop();
  const { dt, epi } = product;
  if (waitsFor(epi, topic))
    return (
      <a class="button waiting wide" href="#/alerts" aria-label={`${WAITING[topic]}: ${dt}. My alerts`}>
        <Icon name="check" /> {WAITING[topic]}
      </a>
    );
  const ask = (): void => {
    if (email === null) open({ kind: 'notify', product, topic });
    else
      void attempt(() => subscribe(product, topic, email), {
        done: `We will write to ${email}`,
        otherwise: `You do not wait for ${dt} yet`,
      });
  };
  return (
    <button
      type="button"
      class={topic === 'pricedrop' ? 'button plain wide' : 'button wide'}
      aria-label={topic === 'pricedrop' ? `Watch the price of ${dt}` : `Notify me: ${dt}`}
      onClick={ask}
    >
      {ASK[topic]}
    </button>
  );
}

/** Add to cart, or wait for a better price; or notify me where there is nothing to add. */
export function BuyButton({ product }: { product: Product }): JSX.Element {
  const { setQuantity } = useShop();
  const { dt, stk } = product;
  if (stk <= 0) return <WaitButton product={product} topic="backinstock" />;
  return (
    <>
      <button
        type="button"
        class="button primary wide"
        aria-label={`Add to cart: ${dt}`}
        onClick={() => setQuantity(product, (before) => before + 1, `${dt} is in your cart`)}
      >
        Add to cart
      </button>
      <WaitButton product={product} topic="pricedrop" />
    </>
  );
}

/** Heading of a view; the focus comes here when the view opens. */
export function Title({ children }: { children: ComponentChildren }): JSX.Element {
  return <h1 tabIndex={-1}>{children}</h1>;
}

/** Heading of a row: how deep it stands depends on the view. */
export function RowTitle({ level, children }: { level: 2 | 3; children: ComponentChildren }): JSX.Element {
  return level === 2 ? <h2 class="row-title">{children}</h2> : <h3 class="row-title">{children}</h3>;
}

/** Takes a row out; the focus goes on to the next row, the one before it, or the heading. */
export function RemoveButton({
  label,
  text = 'Remove',
  onRemove,
}: {
  label: string;
  text?: string;
  onRemove: () => void;
}): JSX.Element {
  const remove = ({ currentTarget }: TargetedEvent<HTMLButtonElement>): void => {
    const row = currentTarget.closest('li');
    const near = row?.nextElementSibling ?? row?.previousElementSibling;
    const next = near?.querySelector<HTMLElement>('[data-remove]');
    onRemove();
    setTimeout(() => (next?.isConnected ? next.focus() : focusHeading()));
  };
  return (
    <button type="button" class="button plain" data-remove aria-label={label} onClick={remove}>
      {text}
    </button>
  );
}

export function Empty({
  title,
  level = 1,
  children,
}: {
  title: string;
  level?: 1 | 3;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <Icon name="heart" />
      {level === 1 ? <Title>{title}</Title> : <h3>{title}</h3>}
      {children}
    </div>
  );
}

/** Rows that are not there yet: they take the room that the rows will take. */
export function Ghosts(): JSX.Element {
  return (
    <ul class="lines" aria-busy="true" aria-label="Loading">
      {[1, 2].map((row) => (
        <li key={row} class="line ghost" />
      ))}
    </ul>
  );
}
