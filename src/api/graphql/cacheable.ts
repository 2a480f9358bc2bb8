import { BREAK, OperationTypeNode, TypeInfo, isObjectType, visit, visitWithTypeInfo } from 'graphql';
import type { DocumentNode, GraphQLField, GraphQLObjectType, GraphQLSchema } from 'graphql';

const MARK = 'kept';

function isMarked({ astNode }: GraphQLObjectType | GraphQLField<unknown, unknown>): boolean {
  return astNode?.directives?.some(({ name }) => name.value === MARK) ?? false;
}

/** Whether everything that a valid document asks for is marked `@kept`: then its answer depends on the caller's own records and the catalogue alone. */
export function asksForOwnRecords(schema: GraphQLSchema, document: DocumentNode): boolean {
  let isOwn = true;
  const giveUp = (): typeof BREAK => {
    isOwn = false;
    return BREAK;
  };
  const info = new TypeInfo(schema);
  visit(
    document,
    visitWithTypeInfo(info, {
      OperationDefinition: ({ operation }) => (operation === OperationTypeNode.QUERY ? undefined : giveUp()),
      Field() {
        const [parent, field] = [info.getParentType(), info.getFieldDef()];
        if (field?.name === '__typename') return undefined;
        return field && isObjectType(parent) && (isMarked(parent) || isMarked(field)) ? undefined : giveUp();
      },
    }),
  );
  return isOwn;
}
