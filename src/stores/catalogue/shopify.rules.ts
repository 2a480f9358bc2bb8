import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { fail } from '../../platform/errors.ts';
import { hasControlCharacters } from '../../platform/text.ts';
import type { ProductWrite } from '../products/product.columns.ts';
import { MAX_IMAGES, clampStock } from '../products/product.rules.ts';
import { SHOPIFY_DOMAIN } from '../setting.rules.ts';
import { gidOf, id, orderShape } from './shopify-order.rules.ts';

const MAX_LISTED_VARIANTS = 100;

/** Shopify gives up on a delivery long before this; an older one was recorded and is being replayed. */
export const STALE_AFTER_MS = 48 * 3_600_000;

/** Compares signatures in constant time. */
export function isSigned(secret: string, body: Buffer, signature: string): boolean {
  const wanted = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(signature, 'base64');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

export function checkSecret(secret: string): string {
  const isFine = secret.length >= 16 && secret.length <= 256 && !hasControlCharacters(secret);
  return isFine ? secret : fail('invalid-request', 'secret must have 16 to 256 printable characters');
}

const time = z.string().pipe(z.coerce.date('is not a time'));

const variantShape = z.object({
  id,
  title: z.string().nullish(),
  sku: z.string().nullish(),
  price: z.coerce.number().nullish(),
  compare_at_price: z.coerce.number().nullish(),
  inventory_quantity: z.number().int().nullish(),
  inventory_management: z.string().nullish(),
  inventory_item_id: id.nullish(),
  image_id: id.nullish(),
});

const productShape = z.object({
  id,
  admin_graphql_api_id: gidOf('Product'),
  title: z.string(),
  vendor: z.string().nullish(),
  handle: z.string().nullish(),
  tags: z.union([z.string(), z.array(z.string())]).nullish(),
  updated_at: time,
  image: z.object({ src: z.string().nullish() }).nullish(),
  images: z.array(z.object({ id: id.nullish(), src: z.string().nullish() })).nullish(),
  variants: z.array(variantShape),
  variant_gids: z.array(z.object({ admin_graphql_api_id: z.string() })).nullish(),
});

const levelShape = z.object({
  admin_graphql_api_id: gidOf('InventoryLevel'),
  inventory_item_id: id,
  location_id: id,
  available: z.number().int().nullish(),
  updated_at: time,
});

/** Shopify signs bodies, not topics: a body with more than an id is not a deletion, even if the topic says so. */
const deletedShape = z.strictObject({ id, admin_graphql_api_id: gidOf('Product') });

/** Shopify never reuses an id, so nothing is newer than a deletion. */
const DELETED_AT = new Date('9999-12-31T00:00:00Z');

type ShopifyProduct = z.infer<typeof productShape>;
type ShopifyVariant = z.infer<typeof variantShape>;

/** A parsed webhook. The subject and Shopify's time of the change determine the order. */
export type ShopifyEvent = { subject: string; changedAt: Date } & (
  | { kind: 'product'; empi: string; products: ProductWrite[]; keep: string[] | null }
  | { kind: 'level'; item: string; location: string; available: number | null }
  | { kind: 'deleted'; empi: string }
  | { kind: 'order'; order: z.infer<typeof orderShape> }
);

type ReadBody = (body: unknown, shopDomain: string) => ShopifyEvent;

function pageOf(product: ShopifyProduct, shopDomain: string): string {
  const path = `/products/${encodeURIComponent(product.handle ?? product.id)}`;
  return SHOPIFY_DOMAIN.test(shopDomain) ? `https://${shopDomain}${path}` : path;
}

function imageOf(product: ShopifyProduct, { image_id }: ShopifyVariant): string | null {
  const own = image_id == null ? undefined : product.images?.find((image) => image.id === image_id);
  return own?.src ?? product.image?.src ?? product.images?.[0]?.src ?? null;
}

/** Stock that Shopify does not track is unknown, whatever number it sends, and the variant can always be bought. */
const isUntracked = ({ inventory_management }: ShopifyVariant): boolean => inventory_management === null;

/** All remaining variants of the product, or null if the webhook does not list them. */
function keptVariants({ variants, variant_gids }: ShopifyProduct): string[] | null {
  if (variant_gids)
    return variant_gids.map(({ admin_graphql_api_id }) => admin_graphql_api_id.split('/').at(-1)!);
  return variants.length < MAX_LISTED_VARIANTS ? variants.map((variant) => variant.id) : null;
}

const readProductChange: ReadBody = (body, shopDomain) => {
  const product = take(productShape, body);
  const du = pageOf(product, shopDomain);
  const tags = typeof product.tags === 'string' ? product.tags.split(',') : product.tags;
  const products = product.variants.map((variant) => ({
    epi: variant.id,
    empi: product.id,
    du,
    uri: `${du}?variant=${variant.id}`,
    bt: product.vendor,
    dt: product.title,
    sku: variant.sku,
    iu: imageOf(product, variant),
    stk: isUntracked(variant) ? null : variant.inventory_quantity,
    isUntracked: isUntracked(variant),
    pr: variant.price,
    compareAtPrice: variant.compare_at_price,
    // Shopify sends null when a sale ends.
    cleared: variant.compare_at_price === null ? (['compareAtPrice'] as const) : undefined,
    images: product.images?.flatMap(({ src }) => src ?? []).slice(0, MAX_IMAGES),
    // Shopify's name of the only variant of a product, which shoppers should not see.
    vi: variant.title === 'Default Title' ? '' : (variant.title ?? ''),
    tags,
    inventoryItem: variant.inventory_item_id,
    sourceAt: product.updated_at,
  }));
  const { id: empi, updated_at: changedAt } = product;
  const keep = keptVariants(product);
  return { kind: 'product', subject: `product ${empi}`, changedAt, empi, products, keep };
};

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return fail('invalid-request', 'The body is not JSON');
  }
}

function take<Shape extends z.ZodType>(shape: Shape, value: unknown): z.infer<Shape> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  return fail('invalid-request', `The webhook is invalid: ${[path.join('.'), message].join(' ').trim()}`);
}

const readLevel: ReadBody = (body) => {
  const level = take(levelShape, body);
  const { inventory_item_id: item, location_id: location, updated_at: changedAt } = level;
  const available = level.available == null ? null : clampStock(level.available);
  return { kind: 'level', subject: `level ${item} ${location}`, changedAt, item, location, available };
};

const readDeleted: ReadBody = (body) => {
  const { id: empi } = take(deletedShape, body);
  return { kind: 'deleted', subject: `product ${empi}`, changedAt: DELETED_AT, empi };
};

const readNewOrder: ReadBody = (body) => {
  const order = take(orderShape, body);
  return { kind: 'order', subject: `order ${order.id}`, changedAt: order.created_at, order };
};

/** How the webhook of each topic is read; the others are ignored. */
const TOPICS = new Map<string, ReadBody>([
  ['products/create', readProductChange],
  ['products/update', readProductChange],
  ['products/delete', readDeleted],
  ['inventory_levels/update', readLevel],
  ['orders/create', readNewOrder],
]);

/** Returns null for a topic that is ignored. */
export function readEvent(topic: string, body: Buffer, shopDomain: string): ShopifyEvent | null {
  return TOPICS.get(topic)?.(parseBody(body), shopDomain) ?? null;
}
