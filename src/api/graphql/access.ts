import { getDirectiveValues, isObjectType } from 'graphql';
import type { GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { requireOperator, requireReader, requireShopper, requireStore } from '../../context.ts';
import type { Context, Viewer } from '../../context.ts';
import type { Caller } from '../../generated/resolvers.ts';

/** Whether a call has these credentials, and the error where it has not. */
const CALLERS: Record<Caller, { holds: (viewer: Viewer) => boolean; deny: (ctx: Context) => unknown }> = {
  anyone: {
    holds: ({ store, keyId, shopper, isShopperNamed }) =>
      shopper !== null || (store !== null && (keyId !== null || !isShopperNamed)),
    deny: requireReader,
  },
  shopper: { holds: ({ shopper }) => shopper !== null, deny: requireShopper },
  store: { holds: ({ keyId, store }) => keyId !== null && store !== null, deny: requireStore },
  operator: { holds: ({ operatorId }) => operatorId !== null, deny: requireOperator },
};

type Marked = { astNode?: Parameters<typeof getDirectiveValues>[1] | null | undefined };

/** The callers that `@for` names on a field or an argument, or else on its type; null where anybody may use it that can reach it. */
export function callersOf(
  schema: GraphQLSchema,
  ...marked: (Marked | undefined)[]
): readonly Caller[] | null {
  for (const { astNode } of marked.filter((one) => one !== undefined)) {
    const values = astNode ? getDirectiveValues(schema.getDirective('for')!, astNode) : undefined;
    if (values) return values['callers'] as Caller[];
  }
  return null;
}

function check(callers: readonly Caller[], ctx: Context): void {
  if (!callers.some((caller) => CALLERS[caller].holds(ctx.viewer))) CALLERS[callers[0]!].deny(ctx);
}

type Field = GraphQLField<unknown, Context>;
type Resolve = NonNullable<Field['resolve']>;

/** Checks the arguments that the document names, because a default is no request. */
function guardArguments(field: Field, schema: GraphQLSchema, resolve: Resolve): Resolve {
  const guarded = new Map(field.args.map((arg) => [arg.name, callersOf(schema, arg)]));
  if (![...guarded.values()].some(Boolean)) return resolve;
  return (source, args, ctx, info) => {
    for (const { arguments: named = [] } of info.fieldNodes)
      for (const { name } of named) {
        const callers = guarded.get(name.value);
        if (callers) check(callers, ctx);
      }
    return resolve(source, args, ctx, info);
  };
}

const ownValue =
  (name: string): Resolve =>
  (source) =>
    (source as Record<string, unknown>)[name];

function guardField(type: GraphQLObjectType, field: Field, schema: GraphQLSchema): void {
  const callers = callersOf(schema, field, type);
  if (!callers) return;
  const guard =
    (resolve: Resolve): Resolve =>
    (source, args, ctx, info) => {
      check(callers, ctx);
      return resolve(source, args, ctx, info);
    };
  field.resolve = guard(guardArguments(field, schema, field.resolve ?? ownValue(field.name)));
  if (field.subscribe) field.subscribe = guard(field.subscribe);
}

/** Lets only the callers that `@for` names use a field. Whoever forgets it at a field of a root gets no schema. */
export function guardFields(schema: GraphQLSchema): GraphQLSchema {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      if (roots.includes(type) && !callersOf(schema, field))
        throw new Error(`${type.name}.${field.name} must name its callers with @for`);
      guardField(type, field, schema);
    }
  }
  return schema;
}
