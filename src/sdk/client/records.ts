import type {
  BundleItemInput,
  Item,
  ItemInput,
  ItemRefInput,
  ProductId,
  VariantId,
} from '../../generated/client-records.ts';

export type * from '../../generated/client-records.ts';

export type ProductRef = { epi: VariantId; empi: ProductId; du: string };

/** Fields that the service's catalogue overrides if it has the product. */
type CatalogueField = 'dt' | 'bt' | 'pr' | 'vi';

type CustomField = 'title' | 'price' | 'compareAtPrice' | 'bundle';

export type ItemFields = Omit<ItemInput, keyof ProductRef | CustomField>;

export type ProductInput = ProductRef & ItemFields;

export type ItemRef = ItemRefInput & { epi: VariantId };

export type ItemUpdate = ItemRef & ItemFields;

export type BundleItem = BundleItemInput;

/** An item that is not in the store's catalogue. */
export type CustomProduct = Omit<ItemInput, 'epi' | 'empi' | CatalogueField> & { title: string; du: string };

/** A changed or removed item; one that was not found has `hasError`, `msg` and few other fields. */
export type ItemChange = Partial<Item> & { epi: VariantId; hasError?: boolean; msg?: string | null };
