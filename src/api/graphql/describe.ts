import { Kind, getOperationAST } from 'graphql';
import type { DocumentNode, FragmentDefinitionNode, SelectionSetNode } from 'graphql';

/** A request has at most 20 fields at its top; a line of the log need not hold them all. */
const MAX_LENGTH = 150;

type Fragments = Map<string, FragmentDefinitionNode>;

/** Adds the names of the fields at the top; each fragment is entered once, whatever spreads it. */
function addFields(set: SelectionSetNode, fragments: Fragments, names: Set<string>): void {
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) names.add(node.name.value);
    else if (node.kind === Kind.INLINE_FRAGMENT) addFields(node.selectionSet, fragments, names);
    else {
      const fragment = fragments.get(node.name.value);
      fragments.delete(node.name.value);
      if (fragment) addFields(fragment.selectionSet, fragments, names);
    }
  }
}

/**
 * An operation in a few words for the log: `query lists,isInLists`. Its own name and its aliases are the caller's typing
 * and left out; the fields of a validated document are those of the schema.
 */
export function describeOperation(document: DocumentNode, operationName?: string | null): string | undefined {
  const operation = getOperationAST(document, operationName);
  if (!operation) return undefined;
  const fragments: Fragments = new Map();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const names = new Set<string>();
  addFields(operation.selectionSet, fragments, names);
  const text = `${operation.operation} ${[...names].join(',')}`;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
}
