import { GraphQLError, Kind, getOperationAST } from 'graphql';
import type {
  ASTVisitor,
  DocumentNode,
  FragmentDefinitionNode,
  SelectionNode,
  SelectionSetNode,
  ValidationContext,
} from 'graphql';
import { introspectsBeyond } from './introspection.ts';
import type { Fragments } from './introspection.ts';

/**
 * Bounds of one GraphQL document; generous for storefronts, small for an attacker. Validation takes time by the square of
 * the tokens: 1.2 s of a hostile document of 5,000, 0.2 s of 2,000. Root fields count because a rate limit counts requests.
 * Items lead back to their list, and each turn of that circle can multiply the answer by a hundred. The introspection of
 * graphql-js has 15 levels and 230 fields, and answers 10,000 values in 0.1 s.
 */
export const DOCUMENT_LIMITS = {
  maxTokens: 2_000,
  maxDepth: 15,
  maxFields: 1_000,
  maxRootFields: 20,
  maxListsInLists: 2,
  maxIntrospected: 20_000,
};

/** How much a selection asks for, with its fragments followed; `roots` are the fields at its top, `lists` the most of them below one another. */
type Size = { depth: number; fields: number; roots: number; lists: number };
type Known = Map<FragmentDefinitionNode, Size>;

const NOTHING: Size = { depth: 0, fields: 0, roots: 0, lists: 0 };

function measure(set: SelectionSetNode | undefined, fragments: Fragments, known: Known): Size {
  const total = { ...NOTHING };
  for (const node of set?.selections ?? []) {
    const { depth, fields, roots, lists } = measureNode(node, fragments, known);
    total.depth = Math.max(total.depth, depth);
    total.lists = Math.max(total.lists, lists);
    total.fields += fields;
    total.roots += roots;
  }
  return total;
}

function measureNode(node: SelectionNode, fragments: Fragments, known: Known): Size {
  if (node.kind === Kind.FRAGMENT_SPREAD)
    return measureFragment(fragments(node.name.value), fragments, known);
  const inner = measure(node.selectionSet, fragments, known);
  if (node.kind !== Kind.FIELD) return inner;
  const lists = inner.lists + (node.name.value === 'list' ? 1 : 0);
  return { depth: inner.depth + 1, fields: inner.fields + 1, roots: 1, lists };
}

function measureFragment(
  fragment: FragmentDefinitionNode | null | undefined,
  fragments: Fragments,
  known: Known,
): Size {
  if (!fragment) return NOTHING;
  const size = known.get(fragment);
  if (size) return size;
  // Set before descending, so that a fragment that spreads itself (reported by its own rule) ends here.
  known.set(fragment, NOTHING);
  const measured = measure(fragment.selectionSet, fragments, known);
  known.set(fragment, measured);
  return measured;
}

/** How much one operation of a valid document asks for. */
export function sizeOf(document: DocumentNode, operationName?: string): Size {
  const fragments = (name: string): FragmentDefinitionNode | undefined =>
    document.definitions.find(
      (node): node is FragmentDefinitionNode =>
        node.kind === Kind.FRAGMENT_DEFINITION && node.name.value === name,
    );
  return measure(getOperationAST(document, operationName)?.selectionSet, fragments, new Map());
}

/** Validation rule: refuses documents that are too deep or too wide before anything runs. */
export function limitDocument(context: ValidationContext): ASTVisitor {
  const known: Known = new Map();
  const fragments: Fragments = (name) => context.getFragment(name);
  return {
    OperationDefinition(node) {
      const report = (text: string): void => context.reportError(new GraphQLError(text, { nodes: node }));
      const { maxDepth, maxFields, maxRootFields, maxListsInLists, maxIntrospected } = DOCUMENT_LIMITS;
      const { depth, fields, roots, lists } = measure(node.selectionSet, fragments, known);
      if (depth > maxDepth) report(`The query is ${depth} levels deep; the limit is ${maxDepth}`);
      if (lists > maxListsInLists)
        report(`The query goes through \`list\` ${lists} times on one path; the limit is ${maxListsInLists}`);
      if (roots > maxRootFields)
        report(`An operation must not have more than ${maxRootFields} fields at its top`);
      if (fields > maxFields) report(`The query selects ${fields} fields; the limit is ${maxFields}`);
      if (introspectsBeyond(maxIntrospected, node, context.getSchema(), fragments))
        report(`The introspection answers more than ${maxIntrospected} values, which is the limit`);
    },
  };
}
