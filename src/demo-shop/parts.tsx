import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Product } from './api.ts';
import { useShop } from './state.ts';

const PATHS = {
  heart: 'M12 20.5S3.5 15.4 3.5 9.4A4.7 4.7 0 0 1 12 6.7a4.7 4.7 0 0 1 8.5 2.7c0 6-8.5 11.1-8.5 11.1z',
  bag: 'M5 8.5h14l-1 12H6l-1-12zM8.5 8.5V7a3.5 3.5 0 0 1 7 0v1.5',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.6-4 3.6-6 7.5-6s6.9 2 7.5 6',
  mail: 'M3.5 6h17v12.5h-17zM4 6.5l8 6.5 8-6.5',
  plus: 'M12 5v14M5 12h14',
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

export function Picture({ iu, dt }: { iu: string | null; dt: string | null }): JSX.Element {
  // Records hold the public address; the picture itself always comes from where the page came from.
  const src = iu === null ? undefined : new URL(iu, location.href).pathname;
  return <img class="picture" src={src} alt={dt ?? ''} width="400" height="300" />;
}

/** The heart saves to the first list; the plus beside it chooses lists. */
export function Hearts({ product }: { product: Product }): JSX.Element {
  const { lidsOf, toggleHeart, open } = useShop();
  const isSaved = (lidsOf.get(product.epi) ?? []).length > 0;
  return (
    <div class="hearts">
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

/** Add to cart, or wait for a better price; or notify me where there is nothing to add. */
export function BuyButton({ product }: { product: Product }): JSX.Element {
  const { cart, changeCart, show, open } = useShop();
  if (product.stk <= 0) {
    return (
      <button
        type="button"
        class="button wide"
        onClick={() => open({ kind: 'notify', product, topic: 'backinstock' })}
      >
        Notify me
      </button>
    );
  }
  const add = (): void => {
    changeCart(product.epi, (cart[product.epi] ?? 0) + 1);
    show(`${product.dt} is in your cart`);
  };
  return (
    <>
      <button type="button" class="button primary wide" onClick={add}>
        Add to cart
      </button>
      <button
        type="button"
        class="button plain wide"
        aria-label={`Watch the price of ${product.dt}`}
        onClick={() => open({ kind: 'notify', product, topic: 'pricedrop' })}
      >
        Watch the price
      </button>
    </>
  );
}

/** A modal dialog: the browser keeps the focus inside, Escape closes it, and the focus goes back to where it was. */
export function Modal({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  const { close } = useShop();
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const opener = document.activeElement;
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="modal"
      aria-labelledby="modal-title"
      // The browser tells late: once this dialog is gone, another one may be open.
      onClose={({ currentTarget }) => currentTarget.isConnected && close()}
    >
      <header>
        <h2 id="modal-title">{title}</h2>
        <button type="button" class="round plain" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      {children}
    </dialog>
  );
}

export function Toasts(): JSX.Element {
  const { toasts, dismiss, attempt } = useShop();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A dialog lies above the page; a popover that is shown anew lies above the dialog.
    element.current?.hidePopover();
    if (toasts.length > 0) element.current?.showPopover();
  }, [toasts]);
  return (
    <div ref={element} popover="manual" class="toasts" role="status" aria-live="polite">
      {toasts.map(({ id, text, isError, undo }) => (
        <p key={id} class={isError ? 'toast error' : 'toast'}>
          {text}
          {undo && (
            <button
              type="button"
              class="undo"
              onClick={() => {
                dismiss(id);
                void attempt(undo, 'It is back');
              }}
            >
              Undo
            </button>
          )}
        </p>
      ))}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <Icon name="heart" />
      <h2>{title}</h2>
      {children}
    </div>
  );
}
