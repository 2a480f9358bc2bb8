import { GraphQLError, Kind } from 'graphql';
import type { ASTVisitor, FragmentDefinitionNode, SelectionSetNode, ValidationContext } from 'graphql';

/**
 * Bounds of one GraphQL document; generous for storefronts, small for an attacker. Validation takes time by the square of
 * the tokens: 1.2 s of a hostile document of 5,000, 0.2 s of 2,000. Root fields count because a rate limit counts requests.
 */
export const DOCUMENT_LIMITS = { maxTokens: 2_000, maxDepth: 15, maxFields: 1_000, maxRootFields: 20 };

type Size = { depth: number; fields: number };

/** Measures selections, following fragments; introspection is left out because tools ask for it deeply. */
function measure(
  set: SelectionSetNode,
  context: ValidationContext,
  known: Map<FragmentDefinitionNode, Size>,
): Size {
  const total = { depth: 0, fields: 0 };
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD && node.name.value.startsWith('__')) continue;
    const inner = innerSize(node, context, known);
    const own = node.kind === Kind.FIELD ? 1 : 0;
    total.depth = Math.max(total.depth, inner.depth + own);
    total.fields += inner.fields + own;
  }
  return total;
}

function innerSize(
  node: SelectionSetNode['selections'][number],
  context: ValidationContext,
  known: Map<FragmentDefinitionNode, Size>,
): Size {
  if (node.kind !== Kind.FRAGMENT_SPREAD)
    return node.selectionSet ? measure(node.selectionSet, context, known) : { depth: 0, fields: 0 };
  const fragment = context.getFragment(node.name.value);
  if (!fragment) return { depth: 0, fields: 0 };
  const size = known.get(fragment);
  if (size) return size;
  // Set before descending, so that a fragment that spreads itself (reported by its own rule) ends here.
  known.set(fragment, { depth: 0, fields: 0 });
  const measured = measure(fragment.selectionSet, context, known);
  known.set(fragment, measured);
  return measured;
}

/** Counts what an operation asks for at its top, following fragments; here introspection counts as well. */
function countRoots(
  set: SelectionSetNode,
  context: ValidationContext,
  known: Map<FragmentDefinitionNode, number>,
): number {
  let count = 0;
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) count += 1;
    else if (node.kind === Kind.INLINE_FRAGMENT) count += countRoots(node.selectionSet, context, known);
    else count += rootsOfFragment(context.getFragment(node.name.value), context, known);
  }
  return count;
}

function rootsOfFragment(
  fragment: FragmentDefinitionNode | null | undefined,
  context: ValidationContext,
  known: Map<FragmentDefinitionNode, number>,
): number {
  if (!fragment) return 0;
  const counted = known.get(fragment);
  if (counted !== undefined) return counted;
  known.set(fragment, 0);
  const count = countRoots(fragment.selectionSet, context, known);
  known.set(fragment, count);
  return count;
}

/** Validation rule: refuses documents that are too deep or too wide before anything runs. */
export function limitDocument(context: ValidationContext): ASTVisitor {
  const known = new Map<FragmentDefinitionNode, Size>();
  return {
    OperationDefinition(node) {
      const { depth, fields } = measure(node.selectionSet, context, known);
      if (depth > DOCUMENT_LIMITS.maxDepth) {
        context.reportError(
          new GraphQLError(`The query is ${depth} levels deep; the limit is ${DOCUMENT_LIMITS.maxDepth}`, {
            nodes: node,
          }),
        );
      }
      if (countRoots(node.selectionSet, context, new Map()) > DOCUMENT_LIMITS.maxRootFields) {
        context.reportError(
          new GraphQLError(
            `An operation must not have more than ${DOCUMENT_LIMITS.maxRootFields} fields at its top`,
            { nodes: node },
          ),
        );
      }
      if (fields > DOCUMENT_LIMITS.maxFields) {
        context.reportError(
          new GraphQLError(`The query selects ${fields} fields; the limit is ${DOCUMENT_LIMITS.maxFields}`, {
            nodes: node,
          }),
        );
      }
    },
  };
}
