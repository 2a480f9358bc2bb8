import { defaultFieldResolver, isListType, isNonNullType, isObjectType } from 'graphql';
import type { FieldNode, GraphQLOutputType, GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import type { Context } from '../../context.ts';
import { resolveValues } from '../../platform/budget.ts';
import { fieldsBelow } from '../../platform/selection.ts';

function isListOfObjects(type: GraphQLOutputType): boolean {
  const outer = isNonNullType(type) ? type.ofType : type;
  if (!isListType(outer)) return false;
  const inner = outer.ofType as GraphQLOutputType;
  return isObjectType(isNonNullType(inner) ? inner.ofType : inner);
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null)?.then === 'function';
}

const known = new WeakMap<FieldNode, number>();

function sizeOfEntry({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  let size = 0;
  for (const node of fieldNodes) {
    const fields = known.get(node) ?? fieldsBelow(node, fragments);
    known.set(node, fields);
    size += fields;
  }
  return size;
}

/** A list whose entries come in turns. The compiler takes promises for lists, not in them, so there it waits as a whole. */
function paced(rows: readonly unknown[], ctx: Context, size: number): unknown {
  if (!ctx.isInterpreted) {
    const turn = resolveValues(ctx.budget, rows.length * size);
    return turn ? turn.then(() => rows) : rows;
  }
  return rows.map((row) => {
    const turn = resolveValues(ctx.budget, size);
    return turn ? turn.then(() => row) : row;
  });
}

/** Makes every list of records count against the request's budget: a page of 1,000 with 900 aliases is 900,000 values. */
export function countValues(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields()).filter((one) => isListOfObjects(one.type))) {
      const resolve = field.resolve ?? defaultFieldResolver;
      field.resolve = (source, args, ctx: Context, info) => {
        const found: unknown = resolve(source, args, ctx, info);
        const count = (rows: unknown): unknown =>
          Array.isArray(rows) && rows.length > 0 ? paced(rows, ctx, sizeOfEntry(info)) : rows;
        return isPromise(found) ? found.then(count) : count(found);
      };
    }
  }
  return schema;
}
