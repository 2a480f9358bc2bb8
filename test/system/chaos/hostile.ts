import { createRequire } from 'node:module';
import { fc } from '../../chance.ts';
import type { GraphQLSchema } from 'graphql';

/** Values that broke somebody's server once: sizes, signs, depths, names and characters. */
const HOSTILE = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  fc.constantFrom<unknown>(
    ...[2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e308, -0, 0.1, '9007199254740993', '1e9', 'NaN'],
    ...['\u0000', '\ud800', '\u202e', '__proto__', "' OR 1=1 --", '../../etc/passwd', '%00', '${7*7}'],
    ...[[], {}, [[]], [null], { __proto__: null }, { constructor: 1 }, { toJSON: 1 }, { length: 2 ** 32 }],
  ),
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 40_000 }).map((length) => 'x'.repeat(length)) },
  fc.integer({ min: 1, max: 2_000 }).map((length) => Array.from({ length }, () => ({ z: 1 }))),
  fc
    .integer({ min: 1, max: 600 })
    .map((depth) => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`) as unknown),
);

/** The dice of a round. */
export type Chance = {
  /** A whole number from 0 to below `below`. */
  number(below: number): number;
  pick<Value>(values: readonly Value[]): Value;
  /** A hostile value. */
  hostile(): unknown;
};

export function createChance(): Chance {
  const number = (below: number): number => Math.floor(Math.random() * below);
  const pick = <Value>(values: readonly Value[]): Value => values[number(values.length)]!;
  const values = fc.sample(HOSTILE, { numRuns: 1_000, seed: number(2 ** 31) });
  return { number, pick, hostile: () => pick(values) };
}

type Named = { getValues?: () => { name: string }[]; getFields?: () => Record<string, { type: unknown }> };

const { loadSchema } = createRequire(import.meta.url)('../../../schema/load.cjs') as {
  loadSchema: () => GraphQLSchema;
};
const schema = loadSchema();

/** What a caller knows, and what therefore leads deeper than any invented text. */
export type Known = Record<
  'ID' | 'VariantId' | 'ProductId' | 'TopicName' | 'String',
  readonly (string | number)[]
>;

/** A value that fits a type of the schema, or something hostile in its stead, at every depth. */
export function valueOf(type: string, chance: Chance, known: Known, depth = 0): unknown {
  if (chance.number(12) === 0) return chance.hostile();
  if (type.endsWith('!')) return valueOf(type.slice(0, -1), chance, known, depth);
  if (type.startsWith('['))
    return Array.from({ length: chance.number(4) }, () =>
      valueOf(type.slice(1, -1), chance, known, depth + 1),
    );
  const named = schema.getType(type) as Named | undefined;
  if (named?.getValues) return chance.pick(named.getValues()).name;
  if (named?.getFields) {
    const fields = Object.entries(named.getFields()).filter(
      ([, field]) => String(field.type).endsWith('!') || chance.number(3) === 0,
    );
    return depth > 4
      ? {}
      : Object.fromEntries(
          fields.map(([name, field]) => [name, valueOf(String(field.type), chance, known, depth + 1)]),
        );
  }
  if (type === 'Int' || type === 'Float') return chance.number(200) - 2;
  if (type === 'Boolean') return chance.number(2) === 0;
  return chance.pick(known[type as keyof Known] ?? known.String);
}

/** A document that calls one field of the roots with all its arguments as variables. */
export type RootCall = { document: string; variables: Record<string, string> };

/** Every field of the two roots. */
export const ROOT_CALLS: readonly RootCall[] = (['query', 'mutation'] as const).flatMap((kind) => {
  const root = kind === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  return Object.values(root.getFields()).map(({ name, args, type }) => {
    const isComposite = 'getFields' in (schema.getType(String(type).replace(/[[\]!]/g, '')) ?? {});
    const heads = args.map((arg) => `$${arg.name}: ${String(arg.type)}`);
    const uses = args.map((arg) => `${arg.name}: $${arg.name}`);
    const isPlain = args.length === 0;
    return {
      document: `${kind} ${isPlain ? '' : `(${heads.join(', ')})`} { ${name}${isPlain ? '' : `(${uses.join(', ')})`} ${isComposite ? '{ __typename }' : ''} }`,
      variables: Object.fromEntries(args.map((arg) => [arg.name, String(arg.type)])),
    };
  });
});
