import { useId, useState } from 'preact/hooks';
import { FindProductsDocument } from '../../../generated/dashboard.ts';
import type { VariantFieldsFragment } from '../../../generated/dashboard.ts';
import { plural } from '../format.ts';
import { useQuery } from '../session.ts';
import { ProductName } from './product.tsx';
import { useSettled } from './table-card.tsx';

export type FoundProduct = VariantFieldsFragment;

export function ProductPicker({ label, onPick }: { label: string; onPick: (product: FoundProduct) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const search = useSettled(text.trim());
  const found = useQuery(FindProductsDocument, { search: search || null });
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
        placeholder="Name, brand or SKU"
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
        aria-label="Products that fit"
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
            {isReady ? 'No product fits.' : 'Looking …'}
          </li>
        )}
      </ul>
      <span class="visually-hidden" role="status">
        {isOpen && isReady && text !== '' && `${plural(products.length, 'product')} found`}
      </span>
    </div>
  );
}
