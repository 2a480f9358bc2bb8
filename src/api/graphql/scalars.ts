import { GraphQLError, Kind, valueFromASTUntyped } from 'graphql';
import type { ValueNode } from 'graphql';
import { rawJson } from '../../platform/json.ts';
import { plainId } from '../../platform/product-ids.ts';
import type { IdKind } from '../../platform/product-ids.ts';

type ScalarConfig = {
  serialize: (value: unknown) => unknown;
  parseValue: (value: unknown) => unknown;
  parseLiteral: (node: ValueNode, variables?: Record<string, unknown> | null) => unknown;
};

function parseTime(value: unknown): Date {
  const time =
    typeof value === 'number' || typeof value === 'string' ? new Date(value) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new GraphQLError('A moment is milliseconds since the epoch or ISO 8601 text');
  return time;
}

function timeScalar(serialize: (time: Date | number) => unknown): ScalarConfig {
  return {
    serialize: (value) =>
      serialize(value instanceof Date || typeof value === 'number' ? value : new Date(value as string)),
    parseValue: parseTime,
    parseLiteral: (node) => {
      if (node.kind === Kind.INT) return parseTime(Number(node.value));
      return parseTime(node.kind === Kind.STRING ? node.value : undefined);
    },
  };
}

const CANONICAL_INTEGER = /^(0|-?[1-9]\d{0,15})$/;

/** Ids are stored as text; clients compare them with `===`, so a canonical safe integer goes out as a number. */
function serializeId(value: unknown): number | string {
  const text = String(value);
  return CANONICAL_INTEGER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
}

function idScalar(name: string, kind: IdKind): ScalarConfig {
  const parse = (value: unknown): string => {
    const isInteger = typeof value === 'number' && Number.isSafeInteger(value);
    const id = isInteger || typeof value === 'string' ? plainId(kind, String(value)) : null;
    if (id !== null) return id;
    throw new GraphQLError(`${name} is an integer, a text or gid://shopify/${kind}/<number>`);
  };
  return {
    serialize: serializeId,
    parseValue: parse,
    parseLiteral: (node) =>
      parse(node.kind === Kind.INT || node.kind === Kind.STRING ? node.value : undefined),
  };
}

/** Longer texts are handed on as they are; for a short one parsing costs less. */
const SHORT_JSON = 500;

/** What most maps are. */
const NOTHING = Object.freeze({});

/** A map that was read as text. */
function fromJsonText(text: string): unknown {
  if (text === '{}') return NOTHING;
  return text.length > SHORT_JSON ? rawJson(text) : (JSON.parse(text) as unknown);
}

const ANYTHING: Pick<ScalarConfig, 'parseValue' | 'parseLiteral'> = {
  // Compiled documents take every value through here, so it must stay as it is.
  parseValue: (value) => value,
  parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
};

/** How our scalars travel. JSONObject, TopicName and Decimal take any value in: the service that owns the field says what is wrong with it. */
export const scalars: Record<string, ScalarConfig> = {
  Timestamp: timeScalar(Number),
  DateTime: timeScalar((time) => new Date(time).toISOString()),
  VariantId: idScalar('A variant id (epi)', 'ProductVariant'),
  ProductId: idScalar('A product id (empi)', 'Product'),
  TopicName: { serialize: String, ...ANYTHING },
  Decimal: { serialize: String, ...ANYTHING },
  JSONObject: {
    serialize: (value) => (typeof value === 'string' ? fromJsonText(value) : value),
    ...ANYTHING,
  },
};
