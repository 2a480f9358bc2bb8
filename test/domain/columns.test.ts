import { isInputObjectType, isObjectType } from 'graphql';
import { itemColumns } from '../../src/lists/item.columns.ts';
import { sentColumns } from '../../src/lists/item.rules.ts';
import { listColumns } from '../../src/lists/list.columns.ts';
import { productColumns } from '../../src/stores/products/product.columns.ts';
import { createSchema } from '../../src/api/graphql/schema.ts';

// A column is told once, in a table. What a table and the schema say of each other is held together here; that every column of
// prisma/*.prisma has its line is for tsc to say.

const schema = createSchema();

function fieldsOf(name: string): string[] {
  const type = schema.getType(name);
  if (!isObjectType(type) && !isInputObjectType(type)) throw new Error(`there is no type ${name}`);
  return Object.keys(type.getFields());
}

type Told = { field: string; as?: string; isHidden?: true };
const namesOf = (columns: readonly Told[]): string[] =>
  columns.filter(({ isHidden }) => !isHidden).map(({ field, as = field }) => as);

const hasResolver = (name: string, field: string): boolean => {
  const type = schema.getType(name);
  return isObjectType(type) && type.getFields()[field]?.resolve !== undefined;
};

/** Records with what their rows hold, and what is read for other reasons than to be shown. */
const RECORDS = {
  Item: { row: [...namesOf(itemColumns), 'stk'], internal: ['seq'] },
  List: { row: [...namesOf(listColumns), 'owner'], internal: ['regid', 'seq'] },
  Product: { row: namesOf(productColumns), internal: ['cts', 'uts', 'compareAtPrice', 'tracked'] },
};

test.each(Object.entries(RECORDS))(
  'every field of %s in the schema is a column or has a resolver',
  (name, { row }) => {
    expect(fieldsOf(name).filter((field) => !row.includes(field) && !hasResolver(name, field))).toEqual([]);
  },
);

test.each(Object.entries(RECORDS))(
  'every column of %s is a field in the schema',
  (name, { row, internal }) => {
    const fields = fieldsOf(name);
    expect(row.filter((column) => !fields.includes(column) && !internal.includes(column))).toEqual([]);
  },
);

test('the input of an item and the table name the same fields', () => {
  expect(fieldsOf('ItemInput').sort()).toEqual(['epi', ...sentColumns.flatMap(({ names }) => names)].sort());
});

test('the input of a product and the table name the same fields', () => {
  const taken = namesOf(productColumns.filter(({ check }) => check !== undefined));
  expect(fieldsOf('ProductInput').sort()).toEqual(taken.sort());
});
