import { useId, useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { formatNumber } from '../format.ts';
import { hrefTo } from '../route.ts';
import { useQuery, useSession } from '../session.ts';
import { rich, t, topicName } from '../text.ts';
import { FormDialog } from './form.tsx';
import { Badge, Button, Flag } from './layout.tsx';
import type { Column } from './layout.tsx';
import { useSettled } from './table-card.tsx';

const { pictures } = JSON.parse(document.querySelector('#data')!.textContent) as {
  /** URL schemes that the page's content security policy allows. */
  pictures: string[];
};

/** Returns null if the content security policy blocks the URL, or for `.example` hosts of samples (RFC 2606). */
export function pictureUrl(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url, location.href)) return null;
  const { origin, protocol, hostname } = new URL(url, location.href);
  const isOutside = pictures.includes(protocol) && !hostname.endsWith('.example');
  return origin === location.origin || isOutside ? url : null;
}

export type FoundProduct = gql.VariantFieldsFragment;

export function ProductPicker({ label, onPick }: { label: string; onPick: (product: FoundProduct) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const search = useSettled(text.trim());
  const found = useQuery(gql.FindProductsDocument, { search: search || null });
  // Results of an older search are hidden, because Enter would pick something other than the typed text.
  const isReady = search === text.trim() && !found.isStale && found.data !== null;
  const products = isReady ? found.data!.products.edges.map(({ node }) => node) : [];
  const pick = (product: FoundProduct | undefined): void => {
    if (!product) return;
    setText('');
    setOpen(false);
    onPick(product);
  };
  const move = (by: number): void => {
    setOpen(true);
    setActive((now) => Math.max(0, Math.min(products.length - 1, isOpen ? now + by : 0)));
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => pick(isOpen ? products[active] : undefined),
  };
  return (
    <div class="field picker" onFocusOut={() => setOpen(false)}>
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        aria-expanded={isOpen}
        aria-controls={`${id}-found`}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && products[active] ? `${id}-${active}` : undefined}
        placeholder={t('product.picker')}
        value={text}
        onFocus={() => setOpen(true)}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setActive(0);
          setOpen(true);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && isOpen) {
            event.preventDefault();
            event.stopPropagation();
            setOpen(false);
          }
          const act = keys[event.key];
          if (!act) return;
          event.preventDefault();
          act();
        }}
      />
      <ul
        id={`${id}-found`}
        role="listbox"
        aria-label={t('product.results')}
        class="plain-list popup picker-found"
        hidden={!isOpen}
      >
        {products.map((product, index) => (
          <li
            key={product.epi}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            // Runs before the input loses the focus, which closes the list.
            onMouseDown={(event) => {
              event.preventDefault();
              pick(product);
            }}
          >
            <ProductName {...product} id={product.epi} />
          </li>
        ))}
        {products.length === 0 && (
          <li role="option" aria-selected="false" aria-disabled="true" class="muted">
            {t(isReady ? 'product.noResults' : 'product.searching')}
          </li>
        )}
      </ul>
      <span class="visually-hidden" role="status">
        {isOpen && isReady && text !== '' && t('product.found', { count: products.length })}
      </span>
    </div>
  );
}

type Named = { dt?: string | null; vi?: string | null; iu?: string | null };

export function ProductName({ dt, vi, iu, id, href }: Named & { id: string | number; href?: string }) {
  const [failed, setFailed] = useState<string | null>(null);
  const picture = pictureUrl(iu);
  const title = dt || t('product.untitled', { id });
  return (
    <div class="product">
      {picture !== null && picture !== failed ? (
        <img src={picture} alt="" width="40" height="40" loading="lazy" onError={() => setFailed(picture)} />
      ) : (
        <span class="product-initial" aria-hidden="true">
          {[...title][0]?.toUpperCase()}
        </span>
      )}
      <span>
        <span class="product-title" title={title.length > 24 ? title : undefined}>
          {href ? <a href={href}>{title}</a> : title}
        </span>
        <span class="muted">{vi ? `${vi} · ${id}` : t('product.id', { id })}</span>
      </span>
    </div>
  );
}

export function VariantName({ epi, dt, vi, iu }: Named & { epi: string | number }) {
  return <ProductName dt={dt} vi={vi} iu={iu} id={epi} href={hrefTo('products', String(epi))} />;
}

export function Stock({ stk }: { stk: number | null }) {
  if (stk === null) return <Badge>{t('common.unknown')}</Badge>;
  return stk > 0 ? <>{formatNumber(stk)}</> : <Badge tone="warn">{t('products.soldOut')}</Badge>;
}

type Titled = Pick<Named, 'dt' | 'vi'> & { epi: string | number };
type Variant = Titled & { stk: number | null; waiting?: number | null };

const titleOf = ({ dt, vi, epi }: Titled, max = Infinity): string =>
  [dt ?? t('product.variantId', { id: epi }), vi ?? '']
    .filter(Boolean)
    .map((text) => (text.length > max ? `${text.slice(0, max).trimEnd()}…` : text))
    .join(', ');

export const shortTitleOf = (variant: Titled): string => titleOf(variant, 60);

/** Saves a stock figure; a product that is back in stock alerts its subscribers. */
export function SetStockButton(variant: Variant) {
  const { run } = useSession();
  const { epi, stk, waiting } = variant;
  const title = titleOf(variant);
  const save = async (stock: string) => {
    const { setStock } = await run(gql.SetStockDocument, { epi, stk: Number(stock) });
    if (setStock.unknown.length > 0) throw new Error(t('product.notInCatalogue'));
    return t('product.stockSet', { product: title, stock: Number(stock) });
  };
  const form = (
    <FormDialog
      title={t('products.setStock')}
      label={t('common.save')}
      onSubmit={save}
      field={{
        label: t('product.units'),
        name: 'stk',
        type: 'number',
        inputMode: 'numeric',
        min: 0,
        max: 1_000_000_000,
        step: 1,
        required: true,
        initial: stk !== null && stk > 0 ? String(stk) : '',
        hint: t('product.stockHint'),
      }}
    >
      <p>{rich('product.contactsWaiting', { product: <strong>{title}</strong>, count: waiting ?? 0 })}</p>
    </FormDialog>
  );
  return (
    <Button text={t('products.setStock')} label={t('product.setStockOf', { product: title })} opens={form} />
  );
}

type Subscription = { mediumvalue: string; topic: string; confirmed: boolean; cts: number };

export const SUBSCRIPTION: Column<Subscription>[] = [
  { label: 'table.contact', cell: ({ mediumvalue }) => <span class="wrap">{mediumvalue}</span> },
  { label: 'table.topic', cell: ({ topic }) => topicName(topic) },
  {
    label: 'table.state',
    cell: ({ confirmed }) => (
      <Flag isOn={confirmed} texts={['subscription.confirmed', 'subscription.unconfirmed']} />
    ),
  },
  { label: 'table.since', time: ({ cts }) => cts },
];
