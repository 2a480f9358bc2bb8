/** A JSON Schema of the 2020-12 dialect, which OpenAPI 3.1 speaks. */
export type Schema = { [keyword: string]: unknown };

/** The schema of an object whose properties are known. */
export type ObjectSchema = Schema & { properties: Record<string, Schema> };

/** An object with these properties, all of them required unless some are named. */
export function objectSchema(
  properties: Record<string, Schema>,
  required = Object.keys(properties),
): ObjectSchema {
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/** The same schema for a value that may be null. */
export function orNull(schema: Schema): Schema {
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] };
  const values = schema['enum'] ? { enum: [...(schema['enum'] as unknown[]), null] } : {};
  return { ...schema, ...values, type: [schema['type'], 'null'].flat() };
}

/** The same schema for a value that is there; the schema itself where it allows no null. */
export function stripNull(schema: Schema): Schema {
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'][0] as Schema;
  const types = [schema['type']].flat();
  if (!types.includes('null')) return schema;
  const [type, ...others] = types.filter((one) => one !== 'null');
  return { ...schema, type: others.length > 0 ? [type, ...others] : type };
}
