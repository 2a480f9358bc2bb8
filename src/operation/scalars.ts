import { GraphQLError, Kind, valueFromASTUntyped } from 'graphql';
import type { ValueNode } from 'graphql';

type ScalarConfig = {
  serialize: (value: unknown) => unknown;
  parseValue: (value: unknown) => unknown;
  parseLiteral: (node: ValueNode, variables?: Record<string, unknown> | null) => unknown;
};

function parseTime(value: unknown): Date {
  const time = typeof value === 'number' || typeof value === 'string' ? new Date(value) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime())) throw new GraphQLError('A moment is milliseconds since the epoch or ISO 8601 text');
  return time;
}

function timeScalar(serialize: (time: Date) => unknown): ScalarConfig {
  return {
    serialize: (value) => serialize(value instanceof Date ? value : new Date(value as string)),
    parseValue: parseTime,
    parseLiteral: (node) => {
      if (node.kind === Kind.INT) return parseTime(Number(node.value));
      return parseTime(node.kind === Kind.STRING ? node.value : undefined);
    },
  };
}

/** How our scalars travel. JSONObject takes any value in: the service that owns the field says what is wrong with it. */
export const scalars: Record<string, ScalarConfig> = {
  Timestamp: timeScalar((time) => time.getTime()),
  DateTime: timeScalar((time) => time.toISOString()),
  JSONObject: {
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: (node, variables) => valueFromASTUntyped(node, variables),
  },
};
