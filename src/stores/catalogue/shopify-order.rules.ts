import { z } from 'zod';
import { phone } from '../../alerts/send/phone.ts';
import { readEmail } from '../../platform/email.ts';
import { readAmount, sumOf } from '../../platform/money.ts';
import { CLICK_PARAMETER } from '../revenue/click.rules.ts';
import { checkCurrency } from '../revenue/order.rules.ts';
import type { Order } from '../revenue/order.rules.ts';

export const id = z.union([z.number(), z.string().regex(/^[\w-]{1,64}$/)]).transform(String);
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const amount = z.union([z.string(), z.number()]).transform(readAmount).pipe(z.bigint('is not an amount'));
/** Shopify's global id, if the body contains one: the only field that states the kind of the object. */
export const gidOf = (kind: string) => z.string().startsWith(`gid://shopify/${kind}/`).nullish();
const contact = z.object({ email: z.string().nullish(), phone: z.string().nullish() });

const lineShape = z.object({
  variant_id: id.nullish(),
  product_id: id.nullish(),
  quantity: z.number().int().min(0).max(100_000),
  price: amount,
  discount_allocations: z.array(z.object({ amount })).nullish(),
});

/** The fields of an order that we read; all others, such as addresses, are ignored. */
export const orderShape = z.object({
  id,
  admin_graphql_api_id: gidOf('Order'),
  created_at: time,
  cancelled_at: z.string().nullish(),
  currency: z.string(),
  test: z.boolean().nullish(),
  email: z.string().nullish(),
  phone: z.string().nullish(),
  customer: contact.nullish(),
  line_items: z.array(lineShape).max(1_000),
  landing_site: z.string().nullish(),
  note_attributes: z.array(z.object({ name: z.string().nullish(), value: z.unknown() })).nullish(),
});

type ShopifyOrder = z.infer<typeof orderShape>;

/** The click that led to the order: from the theme's note attribute, or from Shopify's landing site. */
function clickOf({ note_attributes, landing_site }: ShopifyOrder): string | null {
  const noted = note_attributes?.find(({ name }) => name === CLICK_PARAMETER)?.value;
  if (typeof noted === 'string' && noted !== '') return noted;
  const page = landing_site ?? '';
  return URL.canParse(page, 'https://shop.invalid')
    ? new URL(page, 'https://shop.invalid').searchParams.get(CLICK_PARAMETER)
    : null;
}

/** Prices are after discounts; tips and other lines without a variant are omitted. */
function linesOf({ line_items }: ShopifyOrder): Order['lines'] {
  return line_items.flatMap(({ variant_id, product_id, quantity, price, discount_allocations }) => {
    if (variant_id == null || quantity === 0) return [];
    const discount = sumOf((discount_allocations ?? []).map((one) => one.amount));
    const full = price * BigInt(quantity);
    return [
      { epi: variant_id, empi: product_id ?? null, quantity, amount: full > discount ? full - discount : 0n },
    ];
  });
}

/** Returns null for a test order, a cancelled one, and one without a variant. */
export function readOrder(order: ShopifyOrder, region: string | null): Order | null {
  const lines = linesOf(order);
  if (order.test === true || order.cancelled_at != null || lines.length === 0) return null;
  return {
    orderId: order.id,
    orderedAt: order.created_at,
    currency: checkCurrency(order.currency),
    lines,
    regid: null,
    email: readEmail(order.email ?? order.customer?.email ?? ''),
    phone: phone.read(order.phone ?? order.customer?.phone ?? '', region),
    click: clickOf(order)?.slice(0, 500) ?? null,
  };
}
