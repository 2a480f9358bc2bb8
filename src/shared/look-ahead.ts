import { Kind } from 'graphql';
import type { FieldNode, GraphQLResolveInfo, SelectionSetNode } from 'graphql';

/** How many fields are selected below a field, with fragments followed; valid documents have no circles of them. */
export function fieldsBelow({ selectionSet }: FieldNode, fragments: GraphQLResolveInfo['fragments']): number {
  const inSet = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((total, node) => {
      if (node.kind === Kind.FIELD) return total + 1 + inSet(node.selectionSet);
      if (node.kind === Kind.INLINE_FRAGMENT) return total + inSet(node.selectionSet);
      return total + inSet(fragments[node.name.value]?.selectionSet);
    }, 0);
  return inSet(selectionSet);
}

const known = new WeakMap<FieldNode, Map<string, boolean>>();

/** Whether a field of this name is selected anywhere below the one being resolved; documents are cached, so this is a look-up. */
export function selectsField({ fieldNodes, fragments }: GraphQLResolveInfo, name: string): boolean {
  const inSet = (set: SelectionSetNode | undefined, path: readonly string[]): boolean =>
    (set?.selections ?? []).some((node) => {
      if (node.kind === Kind.FIELD) return node.name.value === name || inSet(node.selectionSet, path);
      if (node.kind === Kind.INLINE_FRAGMENT) return inSet(node.selectionSet, path);
      const fragment = node.name.value;
      return !path.includes(fragment) && inSet(fragments[fragment]?.selectionSet, [...path, fragment]);
    });
  return fieldNodes.some((node) => {
    const names = known.get(node) ?? new Map<string, boolean>();
    known.set(node, names);
    if (!names.has(name)) names.set(name, inSet(node.selectionSet, []));
    return names.get(name)!;
  });
}
