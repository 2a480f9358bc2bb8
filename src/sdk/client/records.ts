import type {
  BundleItemInput,
  Item,
  ItemInput,
  ItemRefInput,
  ProductId,
  VariantId,
} from '../../generated/client-records.ts';

export type * from '../../generated/client-records.ts';

/** A product as a storefront names it. */
export type ProductRef = { epi: VariantId; empi: ProductId; du: string };

/** What says of a product what the service's catalogue says where it knows it. */
type CatalogueField = 'dt' | 'bt' | 'pr' | 'vi';

/** What only custom items have. */
type CustomField = 'title' | 'price' | 'compareAtPrice' | 'bundle';

/** What can be said of an item when it is added or changed. */
export type ItemFields = Omit<ItemInput, keyof ProductRef | CustomField>;

/** A product to put in a list. */
export type ProductInput = ProductRef & ItemFields;

/** Names an item of a list. */
export type ItemRef = ItemRefInput & { epi: VariantId };

/** A change of an item that is in a list. */
export type ItemUpdate = ItemRef & ItemFields;

/** A part of a custom bundle. */
export type BundleItem = BundleItemInput;

/** An item that is not in the store's catalogue. */
export type CustomProduct = Omit<ItemInput, 'epi' | 'empi' | CatalogueField> & { title: string; du: string };

/** An item that was to be changed or removed; one that could not be found has `hasError` and `msg` and little else. */
export type ItemChange = Partial<Item> & { epi: VariantId; hasError?: boolean; msg?: string | null };
