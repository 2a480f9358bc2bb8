import { phone } from '../../alerts/send/phone.ts';
import type { OrderLineInput, ReportOrderInput } from '../../generated/resolvers.ts';
import { fail, failField } from '../../platform/errors.ts';
import { readAmount } from '../../platform/money.ts';
import { isLine, isStorable } from '../../platform/text.ts';
import { DAY_MS } from '../../platform/time.ts';
import { checkEmail } from '../../shoppers/shopper.rules.ts';
import type { OrderLine } from './attribution.rules.ts';

const MAX_ORDER_ID = 100;
const MAX_LINES = 500;
const MAX_QUANTITY = 100_000;
const MAX_ID = 255;
const MAX_CLICK = 500;
/** Clocks of two servers differ. */
const MAX_AHEAD_MS = 3_600_000;
const MAX_AGE_MS = 366 * DAY_MS;

function checkId(field: string, text: string, max = MAX_ID): string {
  const id = text.trim();
  return id !== '' && isLine(id, max)
    ? id
    : failField('invalid-request', field, `must have 1 to ${max} printable characters`, text);
}

function checkTime(orderedAt: Date, now: Date): Date {
  const age = now.getTime() - orderedAt.getTime();
  if (age < -MAX_AHEAD_MS) fail('invalid-request', 'orderedAt must not be in the future');
  if (age > MAX_AGE_MS) fail('invalid-request', 'orderedAt must be at most 366 days ago');
  return orderedAt;
}

function checkLine({ epi, empi, quantity, price }: OrderLineInput, name: string): OrderLine {
  const rule = 'a decimal such as "19.90", with at most 9 digits before the point and 6 after it';
  const unit = readAmount(price) ?? fail('invalid-request', `${name}.price must be ${rule}`);
  if (!Number.isInteger(quantity) || quantity < 1 || quantity > MAX_QUANTITY)
    fail('invalid-request', `${name}.quantity must be between 1 and 100,000`);
  return {
    epi: checkId(`${name}.epi`, epi),
    empi: empi == null || empi === '' ? null : checkId(`${name}.empi`, empi),
    quantity,
    amount: unit * BigInt(quantity),
  };
}

export function checkCurrency(text: string): string {
  const currency = text.trim().toUpperCase();
  return /^[A-Z]{3}$/.test(currency)
    ? currency
    : failField('invalid-request', 'currency', 'must be a three-letter ISO 4217 code, such as EUR', text);
}

function checkPhone(text: string, region: string | null): string {
  return phone.read(text, region) ?? fail('invalid-request', `phone must be ${phone.rule(region)}`);
}

/** An invalid click token is ignored: it stood in an address bar, and the order counts all the same. */
const toClick = (text: string | null | undefined): string | null =>
  text && text.length <= MAX_CLICK && isStorable(text) ? text : null;

export function checkOrder(region: string | null, input: ReportOrderInput, now: Date) {
  const { lines, regid, useremail } = input;
  const orderId = checkId('orderId', input.orderId, MAX_ORDER_ID);
  const orderedAt = checkTime(input.orderedAt ?? now, now);
  const currency = checkCurrency(input.currency);
  if (lines.length === 0 || lines.length > MAX_LINES)
    fail('invalid-request', `lines must have 1 to ${MAX_LINES} entries`);
  return {
    orderId,
    orderedAt,
    currency,
    lines: lines.map((line, index) => checkLine(line, `lines[${index}]`)),
    regid: regid ? checkId('regid', regid) : null,
    email: useremail ? checkEmail(useremail) : null,
    phone: input.phone ? checkPhone(input.phone, region) : null,
    click: toClick(input.click),
  };
}

/** Its click token is not verified. */
export type Order = ReturnType<typeof checkOrder>;
