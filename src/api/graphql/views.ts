import type { ApolloServerPlugin } from '@apollo/server';
import { MapperKind, mapSchema, pruneSchema } from '@graphql-tools/utils';
import * as graphql from 'graphql';
import type { GraphQLSchema } from 'graphql';
import type { Context, Viewer } from '../../context.ts';
import type { Caller } from '../../generated/resolvers.ts';

type Marked = { astNode?: Parameters<typeof graphql.getDirectiveValues>[1] | null | undefined };

/** The callers that `@for` names on a field or an argument, or else on its type; null where anybody may use it that can reach it. */
export function callersOf(
  schema: GraphQLSchema,
  ...marked: (Marked | undefined)[]
): readonly Caller[] | null {
  for (const { astNode } of marked.filter((one) => one !== undefined)) {
    const values = astNode ? graphql.getDirectiveValues(schema.getDirective('for')!, astNode) : undefined;
    if (values) return values['callers'] as Caller[];
  }
  return null;
}

const CALLERS: readonly Caller[] = ['anyone', 'shopper', 'store', 'operator'];
/** The callers whose fields a view shows. It decides nothing: the guard in schema.ts does, by the same `@for`. */
const VIEWS = { storefront: CALLERS.slice(0, 2), store: CALLERS.slice(0, 3), operator: CALLERS };

export type ViewName = keyof typeof VIEWS;

export function viewFor({ keyId, operatorId }: Viewer): ViewName {
  if (operatorId !== null) return 'operator';
  return keyId === null ? 'storefront' : 'store';
}

type Shown = Pick<graphql.GraphQLFieldConfig<unknown, Context>, 'astNode' | 'deprecationReason'>;

/** A storefront's fields come first, then a store's, then an operator's. */
function sortFields(type: graphql.GraphQLObjectType, schema: GraphQLSchema): graphql.GraphQLObjectType {
  const { fields, ...config } = type.toConfig();
  const rank = (field: Shown): number =>
    Math.min(...callersOf(schema, field)!.map((caller) => CALLERS.indexOf(caller)));
  const sorted = Object.entries(fields).sort(([, left], [, right]) => rank(left) - rank(right));
  return new graphql.GraphQLObjectType({ ...config, fields: Object.fromEntries(sorted) });
}

function makeView(schema: GraphQLSchema, view: ViewName): GraphQLSchema {
  // What is deprecated serves REST and older clients: it still runs, but no new storefront finds it.
  const isCurrent = (one: Shown): boolean => view !== 'storefront' || one.deprecationReason == null;
  const hide = (one: Shown, _name?: string, typeName = ''): null | undefined => {
    const callers = callersOf(schema, one, schema.getType(typeName)) ?? CALLERS;
    return callers.some((caller) => VIEWS[view].includes(caller)) && isCurrent(one) ? undefined : null;
  };
  const mapped = mapSchema(schema, {
    [MapperKind.ROOT_OBJECT]: (type) => sortFields(type, schema),
    [MapperKind.OBJECT_FIELD]: hide,
    [MapperKind.INPUT_OBJECT_FIELD]: (field) => hide(field as Shown),
    [MapperKind.ARGUMENT]: (argument) => hide(argument as Shown),
    [MapperKind.DIRECTIVE]: (directive) => (graphql.isSpecifiedDirective(directive) ? undefined : null),
  });
  // No field has the type of errors, but clients type `extensions.type` with it.
  return pruneSchema(mapped, { skipPruning: ({ name }) => name === 'ErrorType' });
}

const views = new WeakMap<GraphQLSchema, Map<ViewName, GraphQLSchema>>();

/** The part of the schema that a caller is shown, with its resolvers; types of the storefront come first. */
export function viewOf(schema: GraphQLSchema, name: ViewName): GraphQLSchema {
  const known = views.get(schema) ?? new Map<ViewName, GraphQLSchema>();
  views.set(schema, known);
  const before = known.get(name);
  if (before) return before;
  const view = makeView(schema, name);
  const first = name === 'storefront' ? view : viewOf(schema, 'storefront');
  const isLater = (type: graphql.GraphQLNamedType): number => Number(first.getType(type.name) === undefined);
  const { types, ...config } = view.toConfig();
  const sorted = types.toSorted((left, right) => isLater(left) - isLater(right));
  const made = new graphql.GraphQLSchema({ ...config, types: sorted });
  known.set(name, made);
  return made;
}

/** The SDL of a view, for code generators. */
export const printView = (schema: GraphQLSchema, name: ViewName): string =>
  `${graphql.printSchema(viewOf(schema, name))}\n`;

type Part = { name: string; args?: readonly { name: string }[] };

function partsOf(type: graphql.GraphQLNamedType): readonly Part[] {
  if (graphql.isEnumType(type)) return type.getValues();
  return 'getFields' in type ? Object.values<Part>(type.getFields()) : [];
}

/** Coordinates such as `List`, `List.items`, `List.items.first` and `ItemSort.added`. */
function coordinatesIn(view: GraphQLSchema): string[] {
  return Object.values(view.getTypeMap()).flatMap((type) => [
    type.name,
    ...partsOf(type).flatMap(({ name, args = [] }) =>
      [name, ...args.map((arg) => `${name}.${arg.name}`)].map((part) => `${type.name}.${part}`),
    ),
  ]);
}

const coordinates = new WeakMap<GraphQLSchema, Set<string>>();
const SUGGESTION = / Did you mean ([a-z ]*)(".*")\?$/s;

/** graphql-js suggests names of the whole schema; those that the caller is not shown are left out. */
function hideNames(message: string, schema: GraphQLSchema, viewer: Viewer): string {
  const [, kind, list] = SUGGESTION.exec(message) ?? [];
  if (list === undefined) return message;
  const view = viewOf(schema, viewFor(viewer));
  const known = coordinates.get(view) ?? new Set(coordinatesIn(view));
  coordinates.set(view, known);
  const place = /(?:on field|on type|by type|in) "([\w.]+)"/.exec(message)?.[1];
  const shown = [...list.matchAll(/"(\w+)( \{ \.\.\. \})?"/g)].filter(
    // With braces it is the caller's own field, which lacks a selection.
    ([, name, braces]) => braces ?? (known.has(`${place}.${name}`) || known.has(name!)),
  );
  const texts = shown.map(([text]) => text).join(' or ');
  return message.replace(SUGGESTION, texts && ` Did you mean ${kind}${texts}?`);
}

/** Error messages suggest only what the caller is shown. */
export const hideSuggestions = (schema: GraphQLSchema): ApolloServerPlugin<Context> => ({
  requestDidStart: async ({ contextValue: { viewer } }) => ({
    willSendResponse: async ({ response: { body } }) => {
      if (body.kind !== 'single' || !body.singleResult.errors) return;
      const { errors } = body.singleResult;
      body.singleResult.errors = errors.map((error) => ({
        ...error,
        message: hideNames(error.message, schema, viewer),
      }));
    },
  }),
});
