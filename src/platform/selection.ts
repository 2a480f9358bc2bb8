import { GraphQLInt, Kind, valueFromAST } from 'graphql';
import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';

const known = new WeakMap<FieldNode, Map<string, FieldNode[]>>();

/** Finds the selected fields of this name at any depth; documents are cached, so this is a look-up. */
function fieldsNamed({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): FieldNode[] {
  const inSet = (set: SelectionSetNode | undefined, path: readonly string[]): FieldNode[] =>
    (set?.selections ?? []).flatMap((node) => {
      if (node.kind === Kind.FIELD)
        return [...(node.name.value === name ? [node] : []), ...inSet(node.selectionSet, path)];
      if (node.kind === Kind.INLINE_FRAGMENT) return inSet(node.selectionSet, path);
      const fragment = node.name.value;
      return path.includes(fragment) ? [] : inSet(fragments[fragment]?.selectionSet, [...path, fragment]);
    });
  return fieldNodes.flatMap((node) => {
    const names = known.get(node) ?? new Map<string, FieldNode[]>();
    known.set(node, names);
    const fields = names.get(name) ?? inSet(node.selectionSet, []);
    names.set(name, fields);
    return fields;
  });
}

/** Whether the query selects a field of this name at any depth. */
export function isSelected(info: GraphQLResolveInfo, name: string): boolean {
  return fieldsNamed(info, name).length > 0;
}

/** Returns the largest value of `argument` among fields of this name, `standard` if one has none; 0 without such a field. */
export function largestBelow(info: GraphQLResolveInfo, name: string, argument: string, standard: number) {
  return fieldsNamed(info, name).reduce((largest, node) => {
    const given = node.arguments?.find((one) => one.name.value === argument);
    const value = given ? valueFromAST(given.value, GraphQLInt, info.variableValues) : null;
    return Math.max(largest, typeof value === 'number' ? value : standard);
  }, 0);
}
