import { rawJson, stringifyJson, objectSchema, stripNull } from '../json.ts';
import type { ObjectSchema, Schema } from '../json.ts';

/** What the wire makes of a record, and of the schema of it. */
export type Shape<Value = never> = {
  body: (record: Value) => unknown;
  schema: (record: Schema, resolve: (schema: Schema) => ObjectSchema) => Schema;
};

/** The record as it is. */
export const whole: Shape<unknown> = { body: (record) => record, schema: (record) => record };

/** The record under a key, with constants before it. */
export const under = (key: string, constants: Record<string, string> = {}): Shape<unknown> => ({
  body: (record) => ({ ...constants, [key]: record }),
  schema: (record) => {
    const properties: Record<string, Schema> = {};
    for (const [name, value] of Object.entries(constants)) properties[name] = { const: value };
    return objectSchema({ ...properties, [key]: record });
  },
});

type Path<Value> = { [Key in keyof Value & string]: [Key] | [Key, keyof Value[Key]] }[keyof Value & string];

/** The record, with some of its parts under a second name. */
export function also<Value extends Record<string, unknown>>(
  names: Record<string, Path<NoInfer<Value>>>,
): Shape<Value> {
  const copies = Object.entries<readonly PropertyKey[]>(names);
  const follow = (value: unknown, path: readonly PropertyKey[]): unknown =>
    path.reduce((part, key) => (part as Record<PropertyKey, unknown>)[key], value);
  return {
    body: (record) => {
      const body: Record<string, unknown> = { ...record };
      for (const [name, path] of copies) {
        const part = follow(record, path);
        const [key, ...inner] = path;
        // Items that stand in a record twice are written once.
        body[name] = Array.isArray(part) ? rawJson(stringifyJson(part)) : part;
        if (inner.length === 0) body[key as string] = body[name];
      }
      return body;
    },
    schema: (record, resolve) => {
      const partAt = (path: readonly PropertyKey[]): Schema =>
        path.reduce<Schema>((part, key) => resolve(part).properties[key as string]!, record);
      const parts = Object.fromEntries(copies.map(([name, path]) => [name, partAt(path)]));
      return objectSchema({ ...resolve(record).properties, ...parts });
    },
  };
}

type Change = { item: unknown; epi: unknown; hasError: boolean; msg: unknown };

/** What came of changes, without the parts that were not asked for; in these lists an item, or what is wrong in its place. */
export function changes<Key extends string>(...keys: Key[]): Shape<{ [Name in Key]: Change[] | null }> {
  const lists = new Set<string>(keys);
  const flatten = ({ item, epi, hasError, msg }: Change): unknown => item ?? { epi, hasError, msg };
  return {
    body: (record) =>
      Object.fromEntries(
        Object.entries<unknown>(record)
          .filter(([, part]) => part !== null)
          .map(([name, part]) => [name, lists.has(name) ? (part as Change[]).map(flatten) : part]),
      ),
    schema: (record, resolve) => {
      const { properties } = resolve(record);
      const flatSchema = (change: Schema): Schema => {
        const { item, epi, hasError, msg } = resolve(change).properties;
        const missing = objectSchema({
          epi: epi!,
          hasError: { ...hasError, const: true },
          msg: stripNull(msg!),
        });
        return { anyOf: [stripNull(item!), missing] };
      };
      const parts = Object.entries(properties).map(([name, part]) => {
        const sent = stripNull(part);
        return [name, lists.has(name) ? { ...sent, items: flatSchema(sent['items'] as Schema) } : sent];
      });
      const always = Object.keys(properties).filter(
        (name) => stripNull(properties[name]!) === properties[name],
      );
      return objectSchema(Object.fromEntries(parts) as Record<string, Schema>, always);
    },
  };
}
