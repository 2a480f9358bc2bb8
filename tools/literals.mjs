/**
 * CPU that executing a document takes, interpreted and compiled in turns: `npm run build && NODE_ENV=production node tools/literals.mjs`.
 * The records come from memory, so that nothing but the executor is measured.
 */
import { parse, validate } from 'graphql';
import { createOperations } from '../dist/api/graphql/executor.js';
import { createSchema } from '../dist/api/graphql/schema.js';

const ROUNDS = 11;
const CALLS = 2_000;

const schema = createSchema();
const items = Array.from({ length: 10 }, (_, index) => ({
  epi: `${100 + index}`,
  dt: `Shirt ${index}`,
  pr: 19.9,
}));
schema.getQueryType().getFields().list.resolve = async (_root, { lid }) => ({ lid, lname: 'Mine', cnt: 10 });
schema.getType('List').getFields().listcontents.resolve = async (_list, { limit }) => items.slice(0, limit);

const FIELDS = '{ lid lname cnt listcontents(limit: 10) { epi dt pr } }';
const textOf = (lid) => `{ list(lid: "${lid}") ${FIELDS} }`;
const literal = parse(textOf('one'));
const variable = parse(`query ($lid: ID!) { list(lid: $lid) ${FIELDS} }`);
let made = 0;

function parseAnother() {
  made += 1;
  return parse(textOf(`list ${made}`));
}

function validateAnother() {
  const document = parseAnother();
  validate(schema, document);
  return document;
}

const CASES = {
  'the same literal': () => [literal, {}],
  'a variable': () => [variable, { lid: 'one' }],
  'another literal each time, parsed': () => [parseAnother(), {}],
  'another literal each time, parsed and validated': () => [validateAnother(), {}],
};

const budget = { resolve: () => undefined };
/** Documents of callers without a key are never compiled. */
const CALLERS = { interpreted: { keyId: null, shopper: null }, compiled: { keyId: 'key', shopper: null } };

const operations = createOperations(schema);

async function measure(next, viewer) {
  const start = process.cpuUsage();
  for (let call = 0; call < CALLS; call += 1) {
    const [document, variables] = next();
    await operations.execute({ key: '', document, variables }, { viewer, budget, basis: {} });
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / CALLS;
}

const median = (numbers) => numbers.toSorted((one, other) => one - other)[numbers.length >> 1];

for (const [name, next] of Object.entries(CASES)) {
  const taken = { interpreted: [], compiled: [] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [kind, viewer] of Object.entries(CALLERS)) taken[kind].push(await measure(next, viewer));
  console.log(
    `${name}: ${median(taken.interpreted).toFixed(1)} µs interpreted, ${median(taken.compiled).toFixed(1)} µs compiled`,
  );
}
