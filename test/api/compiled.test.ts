import { Kind, print } from 'graphql';
import { isCompilable } from '../../src/api/execute.ts';
import type { Route } from '../../src/platform/route/route.ts';
import { routes } from '../../src/api/rest/routes.ts';
import { useService, useStore } from '../harness.ts';
import { NO_PD, useAccount } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const client = useAccount(service, store);

/** A call that the store makes for the shopper. */
const forShopper = (text: string, variables: object = {}) =>
  service.graphql(text, variables, { store, shopper: client.shopper });

/** More calls than it takes for a document to be compiled. */
const CALLS = 4;

/** The answers of the same call, one after the other; `before` puts things back first. */
async function repeat(call: () => PromiseLike<{ body: unknown }>, before = async (): Promise<void> => {}) {
  const answers: unknown[] = [];
  for (let n = 0; n < CALLS; n += 1) {
    await before();
    answers.push((await call()).body);
  }
  return answers;
}

const times = (answer: unknown): unknown[] => Array.from({ length: CALLS }, () => answer);

describe('a document means the same at every call', () => {
  test('a variable that is left out of an input leaves the field alone', async () => {
    const text = `mutation ($f: String, $m: String) { updateShopper(input: { fname: $f, m: $m }) { userinfo { fname m } } }`;
    const answers = await repeat(
      () => forShopper(text, { f: 'Ada' }),
      async () => {
        await forShopper('mutation ($i: UpdateShopperInput!) { updateShopper(input: $i) { uid } }', {
          i: { fname: 'Eve', m: '555' },
        });
      },
    );
    expect(answers).toEqual(times({ data: { updateShopper: { userinfo: { fname: 'Ada', m: '555' } } } }));
  });

  test('a store keeps its share address when only its name is sent', async () => {
    const shareUrl = 'https://shop.example/l/{lid}';
    const shop = await service.createStore({ shareUrl });
    const text = `mutation ($n: String, $s: String) { updateStore(input: { name: $n, shareUrl: $s }) { name shareUrl } }`;
    const answers = await repeat(() => service.graphql(text, { n: 'New' }, { store: shop }));
    expect(answers).toEqual(times({ data: { updateStore: { name: 'New', shareUrl } } }));
  });

  test('variables within JSON and within lists of inputs are stored', async () => {
    const text = `mutation ($lid: ID!, $epi: VariantId, $c: JSONObject, $l: String!) {
      updateListContents(lid: $lid, a: [{ epi: $epi, empi: 900, du: "https://shop.example/p", cprops: { color: $c, deep: [$c] }, lbls: [$l] }]) {
        a { cprops lbls }
      }
    }`;
    const { lid } = await client.create('With properties');
    let epi = 0;
    const answers = await repeat(() => client.graphql(text, { lid, epi: (epi += 1), c: 'red', l: 'gift' }));
    const cprops = { color: 'red', deep: ['red'] };
    expect(answers).toEqual(times({ data: { updateListContents: { a: [{ cprops, lbls: ['gift'] }] } } }));
    const rows = await service.services.db.query<{ cprops: object }>(
      'SELECT cprops FROM item WHERE pid = $1',
      [store.pid],
    );
    expect(rows.map((row) => row.cprops)).toEqual(times(cprops));
  });

  test('a default of a variable counts when the variable is left out', async () => {
    const text = `mutation ($i: UpdateShopperInput! = { fname: "Default" }) { updateShopper(input: $i) { userinfo { fname } } }`;
    expect(await repeat(() => forShopper(text))).toEqual(
      times({ data: { updateShopper: { userinfo: { fname: 'Default' } } } }),
    );
  });

  test('an argument that is left out takes its default, and null stays null', async () => {
    const text = 'query ($st: Int) { allLists(st: $st) { lname } }';
    const left = await repeat(() => client.graphql(text));
    const nulled = await repeat(() => client.graphql(text, { st: null }));
    expect(left).toEqual(times(left[0]));
    expect(nulled).toEqual(times(nulled[0]));
    expect(left[0]).toHaveProperty('data.allLists');
  });

  test('a condition on one use of a fragment does not reach the other', async () => {
    const text = `query ($yes: Boolean!) { a: store { ...F @include(if: $yes) pid } b: store { ...F } } fragment F on Store { name }`;
    const answers = await repeat(() => service.graphql(text, { yes: false }, { store }));
    expect(answers).toEqual(times({ data: { a: { pid: store.pid }, b: { name: 'Test store' } } }));
  });

  test('the same field under conditions that differ is there when one of them holds', async () => {
    const text = `query ($yes: Boolean!, $no: Boolean!) { store { pid @include(if: $no) pid @skip(if: $no) name @skip(if: $yes) } }`;
    const answers = await repeat(() => service.graphql(text, { yes: true, no: false }, { store }));
    expect(answers).toEqual(times({ data: { store: { pid: store.pid } } }));
  });

  test('aliases may be names that JavaScript has a use for', async () => {
    const text = '{ store { __proto__: pid constructor: name toString: pid } }';
    const bodies: string[] = [];
    for (let n = 0; n < CALLS; n += 1) bodies.push((await service.graphql(text, {}, { store })).text);
    expect(bodies).toEqual(
      times(
        `{"data":{"store":{"__proto__":"${store.pid}","constructor":"Test store","toString":"${store.pid}"}}}\n`,
      ),
    );
  });

  test('an error points into the document that was sent, whichever of its shape was compiled', async () => {
    for (const lty of ['a', 'bc', 'def', 'a much longer one', '']) {
      const text = `{ all: allLists(lty: "${lty}") { lid } gone: list(lid: "") { lid } }`;
      const { body } = await client.graphql(text);
      expect(body.errors).toMatchObject([
        { path: ['gone'], locations: [{ line: 1, column: text.indexOf('gone') + 1 }] },
      ]);
    }
  });

  test('a mutation is answered also where a variable is null and must not be', async () => {
    const text = `mutation ($lid: ID = "x") { a: deleteList(lid: $lid) { lid } b: deleteList(lid: "y") { lid } }`;
    const missing = await repeat(() => client.graphql(text));
    expect(missing).toEqual(times(missing[0]));
    const nulled = await repeat(() => client.graphql(text, { lid: null }));
    expect(nulled).toEqual(times(nulled[0]));
    expect(nulled[0]).toHaveProperty(
      'errors.0.message',
      'Argument "lid" of non-null type "ID!" must not be null.',
    );
  });

  // The compiler turns this mark and what follows it into code that builds a date.
  test('a text is never taken for code', async () => {
    const mark = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d';
    const name = `${mark}globalThis.isTaken=1`;
    const text = `mutation { createList(input: { lname: "${name}" }) { lname } }`;
    await repeat(() => forShopper(text));
    const renamed = `mutation { updateShopper(input: { fname: "${name}", pd: { a: ${mark}isTaken } }) { userinfo { fname pd } } }`;
    expect(await repeat(() => forShopper(renamed))).toEqual(
      times({
        data: { updateShopper: { userinfo: { fname: name, pd: { ...NO_PD, a: `${mark}isTaken` } } } },
      }),
    );
    expect(globalThis).not.toHaveProperty('isTaken');
  });
});

test.each(Object.entries<Route>(routes))(
  '%s runs a document that compiles faithfully, or sends each of its variables at every call',
  (_path, { document, form }) => {
    if (isCompilable(document)) return;
    const [definition] = document.definitions;
    const names =
      definition?.kind === Kind.OPERATION_DEFINITION
        ? (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
        : [];
    // The router reads every field of the form into a variable, null where it is absent.
    expect(Object.keys(form)).toEqual(names);
    expect(print(document)).not.toMatch(/["@]|\$\w+: [^,)]*=/);
  },
);
