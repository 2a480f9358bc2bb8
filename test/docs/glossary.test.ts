import { readFileSync } from 'node:fs';
import { isInputObjectType, isObjectType } from 'graphql';
import { createSchema } from '../../src/api/graphql/schema.ts';

const explained = [
  ...readFileSync(new URL('../../docs/glossary.md', import.meta.url), 'utf8').matchAll(/^\| `(\w+)` +\|/gm),
].map(([, name]) => name!);

/** Names of all fields and arguments. */
const names = Object.values(createSchema().getTypeMap())
  .filter((type) => !type.name.startsWith('__'))
  .flatMap((type) => {
    if (isInputObjectType(type)) return Object.keys(type.getFields());
    const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
    return fields.flatMap((field) => [field.name, ...field.args.map(({ name }) => name)]);
  });

const isShort = (name: string): boolean => name.length <= 3 || name.includes('_');
/** Short, and yet what everybody calls it. */
const PLAIN = ['at', 'day', 'id', 'ids', 'sms', 'tag', 'to', 'url'];

test('every short name of the schema is in the glossary', () => {
  const short = [...new Set(names)].filter((name) => isShort(name) && !PLAIN.includes(name));
  expect(short.filter((name) => !explained.includes(name))).toEqual([]);
});

test('the glossary names nothing that the schema does not have', () => {
  expect(explained.length).toBeGreaterThan(40);
  expect(explained.filter((name) => !names.includes(name))).toEqual([]);
});
