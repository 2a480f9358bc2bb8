import { TypeInfo, getNamedType, isInputObjectType, visit, visitWithTypeInfo } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';
import type { Input } from './rejections.ts';

/** The arguments, and the fields of inputs inside them, in which a valid document first uses each of its variables, from the outside in. */
export function usesOf(schema: GraphQLSchema, document: DocumentNode): Map<string, Input[]> {
  const uses = new Map<string, Input[]>();
  const around: Input[] = [];
  const info = new TypeInfo(schema);
  const leave = (): void => void around.pop();
  visit(
    document,
    visitWithTypeInfo(info, {
      Argument: { enter: () => void around.push(info.getArgument() ?? {}), leave },
      ObjectField: {
        enter({ name }) {
          const parent = getNamedType(info.getParentInputType());
          around.push((isInputObjectType(parent) && parent.getFields()[name.value]) || {});
        },
        leave,
      },
      Variable({ name }) {
        if (around.length > 0 && !uses.has(name.value)) uses.set(name.value, [...around]);
      },
    }),
  );
  return uses;
}
