import { z } from 'zod';
import { AppError } from '../../platform/errors.ts';
import { productColumns } from '../products/product.columns.ts';
import type { ProductWrite } from '../products/product.columns.ts';
import { checkProductInput, plainId } from '../products/product.rules.ts';
import type { IdKind } from '../products/product.rules.ts';

/** A line of an import file: its value, or its error. `end` is the offset of the byte after it. */
export type Entry = { line: number; end: number } & ({ value: unknown } | { fault: string });

const emptyAsAbsent = (value: unknown): unknown => (value === '' || value === null ? undefined : value);
const optional = <Shape extends z.ZodType>(shape: Shape) => z.preprocess(emptyAsAbsent, shape.optional());

const NUMBER = /^\s*-?\d+(\.\d+)?\s*$/;
const id = (kind: IdKind) =>
  z
    .union([z.string(), z.int()], 'must be a string or a whole number')
    .transform((value) => plainId(kind, String(value)))
    .pipe(z.string(`must be a string, a whole number or gid://shopify/${kind}/<number>`));
const text = z.union([z.string(), z.number()], 'must be a string').transform(String);
const number = z.union([z.number(), z.string().regex(NUMBER).transform(Number)], 'must be a number');
const tags = z.union(
  [z.array(z.string()), z.string().transform((list) => list.split('|'))],
  'must be an array, or a string separated by |',
);

const images = z.union(
  [z.array(z.string()), z.string().transform((list) => list.trim().split(/[\s|]+/))],
  'must be an array, or a string separated by | or spaces',
);
const flag = z.union(
  [z.boolean(), z.stringbool({ truthy: ['true', '1'], falsy: ['false', '0'] })],
  'must be true or false',
);

const BY_CHECK = {
  variant: id('ProductVariant'),
  product: id('Product'),
  line: text,
  url: text,
  stock: number,
  price: number,
  tags,
  images,
  tracked: flag,
};

/** A product in a file: empty cells are omitted, numbers may be strings, and tags and images may be one string. */
const productShape = z.object(
  Object.fromEntries(
    productColumns.flatMap(({ field, as = field, check }) =>
      check ? [[as, optional(BY_CHECK[check])]] : [],
    ),
  ),
  'must be a JSON object',
);

export const IMPORT_FIELDS: ReadonlySet<string> = new Set(Object.keys(productShape.shape));

/** Returns the product of a line, or the error as a sentence. */
export function readProductLine(value: unknown): ProductWrite | string {
  const parsed = productShape.safeParse(value);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    return `${path[0] === undefined ? 'the line' : String(path[0])} ${message}`;
  }
  try {
    return checkProductInput(parsed.data, 'product');
  } catch (error) {
    if (error instanceof AppError) return error.message.replace('product.', '');
    throw error;
  }
}
