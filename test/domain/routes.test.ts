import { DeleteListDocument, ListContentsDocument } from '../../src/generated/operations.ts';
import { createSchema } from '../../src/api/graphql/schema.ts';
import { count, text, version } from '../../src/platform/route/form.ts';
import { also, changes, route, createReader, whole } from '../../src/platform/route/route.ts';
import { routes } from '../../src/api/rest/routes.ts';

const limit = count;
const offset = count;
const slice = { lid: text.required, limit, offset };
const row = { summary: '', form: { ...slice, expectedVersion: version } } as const;
const reading = { ...row, form: slice } as const;

// The compiler checks the lines below `@ts-expect-error`; at run time they only must not fail.
test('a row does not compile when its form or its reply does not fit its document', () => {
  const fine = [
    route(DeleteListDocument, row),
    // @ts-expect-error the document has no such field
    route(DeleteListDocument, { ...row, reply: { removeList: whole } }),
    // @ts-expect-error the document takes more variables
    route(DeleteListDocument, reading),
    // @ts-expect-error a list id is never null
    route(DeleteListDocument, { ...row, form: { ...row.form, lid: text } }),
    // @ts-expect-error a text is no number
    route(DeleteListDocument, { ...row, form: { ...row.form, limit: text } }),
    // @ts-expect-error the record has no such part
    route(ListContentsDocument, { ...reading, reply: { listContents: also({ lid: ['list', 'nothing'] }) } }),
    // @ts-expect-error items are no changes
    route(ListContentsDocument, { ...reading, reply: { listContents: changes('items') } }),
  ];
  expect(fine).toHaveLength(7);
});

test('every field is read, in the order of the form, before one is fitted to its type', () => {
  const read = createReader(createSchema(), routes['POST /storeadmin/bispa/subscriptions/create']!);
  const reading = (fields: Record<string, string>) => () => read((field) => fields[field] ?? null);
  const sent = { medium: 'email', products: '[{"epi":1,"unknown":2}]', topics: '["backinstock"]' };
  expect(reading({ ...sent, products: '{', topics: '{' })).toThrow('products must be JSON');
  expect(reading({ ...sent, products: '{}', addtomailinglist: 'x' })).toThrow(
    'addtomailinglist must be a whole number',
  );
  expect(reading({ ...sent, products: '{}', topics: '{}' })).toThrow('products must be a JSON array');
  const products = [{ epi: 1, empi: '', du: '' }];
  expect(reading(sent)()).toEqual({
    input: { medium: 'email', mediumvalue: '', products, topics: ['backinstock'] },
  });
});
