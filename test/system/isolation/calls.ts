import {
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  typeFromAST,
} from 'graphql';
import type { GraphQLArgument, GraphQLField, GraphQLInputType, GraphQLObjectType } from 'graphql';
import { Kind, print } from 'graphql';
import { createSchema } from '../../../src/api/graphql/schema.ts';
import { routes } from '../../../src/api/rest/routes.ts';
import type { Field } from '../../../src/platform/route/form.ts';
import { isStorePath } from '../../../src/platform/route/route.ts';

// Every field of the schema and every row of the REST table as a call. What a call sends is found by the name of the argument, or by its type.

const schema = createSchema();

/** What calls send, by the name of the argument or field. */
export type Guess = Record<string, unknown>;

type Variable = { name: string; type: string; value: unknown };

/** One field at the top of an operation with its arguments, and everything below it. */
export type Call = {
  root: 'query' | 'mutation';
  field: string;
  name: string;
  variables: Variable[];
  text: string;
};

/** Kinds of values by the scalars that take them. */
const KINDS: Record<string, string> = {
  Int: 'number',
  Float: 'number',
  Boolean: 'boolean',
  String: 'string',
  ID: 'string',
  VariantId: 'string',
  ProductId: 'string',
  TopicName: 'string',
};

/** Whether something is guessed for this name that the type takes. */
function isGuessed(guess: Guess, name: string, type: GraphQLInputType): boolean {
  const value = guess[name];
  if (value === undefined) return false;
  if (isNonNullType(type)) return isGuessed(guess, name, type.ofType);
  if (isListType(type)) return Array.isArray(value);
  if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) !== undefined;
  return 'name' in type && typeof value === KINDS[type.name];
}

function valueOf(name: string, type: GraphQLInputType, guess: Guess): unknown {
  if (isNonNullType(type)) return valueOf(name, type.ofType, guess);
  if (isGuessed(guess, name, type)) return guess[name];
  if (isListType(type)) return [valueOf(name, type.ofType, guess)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(
      (field) => isRequiredInputField(field) || isGuessed(guess, field.name, field.type),
    );
    return Object.fromEntries(fields.map((field) => [field.name, valueOf(field.name, field.type, guess)]));
  }
  const byType: Record<string, unknown> = {
    Int: 1,
    Float: 1,
    Boolean: true,
    VariantId: guess['epi'],
    ProductId: guess['epi'],
    JSONObject: {},
    Decimal: '1.00',
    TopicName: guess['topic'],
    Timestamp: 1e12,
  };
  return byType[type.name] ?? 'isolation';
}

/** How a selection is built: what is sent, the variables so far, the types that were seen, and whether it goes below them. */
type Builder = { guess: Guess; variables: Variable[]; seen: Set<string>; isDeep: boolean };

/** The field with its arguments as variables, and below it every field of every type that it leads to, each type once. */
function select(
  field: GraphQLField<unknown, unknown>,
  args: readonly GraphQLArgument[],
  builder: Builder,
  prefix: string,
): string {
  const given = args.map((arg) => {
    // The same call has the same text, whatever it sends: the service has read it before.
    const name = `${prefix}_${builder.variables.length}`;
    builder.variables.push({
      name,
      type: String(arg.type),
      value: valueOf(arg.name, arg.type, builder.guess),
    });
    return `${arg.name}: $${name}`;
  });
  const head = `${field.name}${given.length > 0 ? `(${given.join(', ')})` : ''}`;
  const type = getNamedType(field.type);
  if (!isCompositeType(type)) return head;
  // What a record shows is walked where its own field leads to it.
  if (isInterfaceType(type)) return `${head} { __typename id }`;
  if (!isObjectType(type)) throw new Error(`${type.name} is neither object nor leaf: say how it is walked`);
  return `${head} { __typename ${selectFields(type, builder, prefix)} }`;
}

function selectFields(type: GraphQLObjectType, builder: Builder, prefix: string): string {
  const inner = Object.values(type.getFields()).map((one) => {
    const target = getNamedType(one.type);
    if (!isCompositeType(target)) return select(one, one.args.filter(isRequiredArgument), builder, prefix);
    if (!builder.isDeep) return '';
    // A type that was seen is asked for again where another field leads to it, but not what lies below it.
    const isDeep = !builder.seen.has(target.name);
    builder.seen.add(target.name);
    return select(one, one.args.filter(isRequiredArgument), { ...builder, isDeep }, prefix);
  });
  return inner.join(' ');
}

/** The sets of arguments that a field is called with: those it must have, all that are guessed, and each of those alone. */
function variantsOf(args: readonly GraphQLArgument[], guess: Guess): GraphQLArgument[][] {
  const must = args.filter((arg) => isRequiredArgument(arg));
  const may = args.filter((arg) => !isRequiredArgument(arg) && isGuessed(guess, arg.name, arg.type));
  const singles = may.length > 1 ? may.map((arg) => [...must, arg]) : [];
  return [must, ...(may.length > 0 ? [[...must, ...may]] : []), ...singles];
}

const IDS = ['id', 'ids', 'webhookId'];

/** Guesses of which a call takes each in turn: an `id` can be that of anything, and items go from a list to another. */
function turnsOf(names: readonly string[], guess: Guess): Guess[] {
  const { $ids, $own, lid } = guess as { $ids: string[]; $own: string; lid: string };
  if (names.some((name) => IDS.includes(name)))
    return $ids.map((id) => ({ ...guess, id, ids: [id], webhookId: id }));
  if (!names.includes('tolid')) return [guess];
  return [
    { fromlid: lid, tolid: lid },
    { fromlid: lid, tolid: $own },
    { fromlid: $own, tolid: lid },
  ].map((ends) => ({ ...guess, ...ends }));
}

/** Every field at the top of the schema as calls; the first of each asks for everything below it. */
export function graphqlCalls(root: 'query' | 'mutation', guess: Guess): Call[] {
  const type = root === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
  return Object.values(type.getFields()).flatMap((field) => {
    const variants = variantsOf(field.args, { ...guess, id: '', ids: [], webhookId: '' });
    return variants.flatMap((args, variant) =>
      turnsOf(
        args.map(({ name }) => name),
        guess,
      ).map((turn, number) => {
        const builder = {
          guess: turn,
          variables: [],
          seen: new Set([getNamedType(field.type).name]),
          isDeep: variant === 0 && number === 0,
        };
        const text = select(field, args, builder, `v${variant}_${number}_${field.name}`);
        const name = `${root} ${field.name}(${args.map((arg) => arg.name).join(' ')})`;
        return { root, field: field.name, name, variables: builder.variables, text };
      }),
    );
  });
}

/** Types of the schema that no call leads to. */
export function unreachable(calls: readonly Call[]): string[] {
  const text = calls.map((call) => call.text).join(' ');
  return Object.values(schema.getTypeMap())
    .filter(
      (type) =>
        isObjectType(type) &&
        !type.name.startsWith('__') &&
        !['Query', 'Mutation', 'Live'].includes(type.name),
    )
    .flatMap((type) =>
      isObjectType(type) ? Object.keys(type.getFields()).map((field) => [type.name, field] as const) : [],
    )
    .filter(([, field]) => !new RegExp(`\\b${field}\\b`).test(text))
    .map(([type, field]) => `${type}.${field}`);
}

/** One row of the REST table with a form. */
export type RestCall = {
  method: string;
  path: string;
  caller: 'store' | 'shopper';
  form: Record<string, string>;
};

/** Every row of the REST table as requests. */
export function restCalls(guess: Guess): RestCall[] {
  return Object.entries(routes).flatMap(([key, row]) => {
    const [method = '', path = ''] = key.split(' ');
    const [operation] = row.document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION)
      throw new Error(`${key} has no operation first: ${print(row.document)}`);
    const types = new Map(
      (operation.variableDefinitions ?? []).map((one) => [
        one.variable.name.value,
        typeFromAST(schema, one.type) as GraphQLInputType,
      ]),
    );
    const formOf = (turn: Guess): Record<string, string> => {
      const form: Record<string, string> = {};
      const put = (name: string, field: Field, type: GraphQLInputType): void => {
        const isWanted =
          field.kind !== 'fixed' &&
          (field.isRequired === true || isNonNullType(type) || isGuessed(turn, name, type));
        if (!isWanted) return;
        const value = valueOf(name, type, turn);
        form[name] = typeof value === 'string' ? value : JSON.stringify(value);
      };
      for (const [variable, field] of Object.entries(row.form)) {
        const type = types.get(variable)!;
        if ('kind' in field && typeof field.kind === 'string') put(variable, field as Field, type);
        else {
          const input = getNamedType(type);
          if (!isInputObjectType(input)) throw new Error(`${key}: ${variable} is no input`);
          for (const [name, one] of Object.entries(field as Record<string, Field>))
            put(name, one, input.getFields()[name]!.type);
        }
      }
      return form;
    };
    const turns = turnsOf(Object.keys(row.form), guess);
    return turns.map((turn) => ({
      method,
      path,
      caller: isStorePath(path) ? 'store' : 'shopper',
      form: formOf(turn),
    }));
  });
}
