import { getNamedType, isCompositeType, isInterfaceType, isObjectType } from 'graphql';
import type { GraphQLField } from 'graphql';
import { createSchema } from '../../src/api/graphql/schema.ts';

const schema = createSchema();

function isInRecord(field: GraphQLField<unknown, unknown>): boolean {
  return !field.astNode?.directives?.some(({ name }) => name.value === 'graphqlOnly');
}

/** Every field that a REST record of this type must carry, as a selection built from the schema itself. */
export function fullSelection(typeName: string, path: readonly string[] = []): string {
  const type = schema.getType(typeName);
  if (!isObjectType(type) && !isInterfaceType(type)) throw new Error(`${typeName} is not an object type`);
  if (path.includes(typeName))
    throw new Error(`${[...path, typeName].join(' > ')} never ends: mark the field @graphqlOnly`);
  const fields = Object.values(type.getFields()).filter(isInRecord);
  const selections = fields.map((field) => {
    const inner = getNamedType(field.type);
    return isCompositeType(inner)
      ? `${field.name} ${fullSelection(inner.name, [...path, typeName])}`
      : field.name;
  });
  return `{ ${selections.join(' ')} }`;
}
