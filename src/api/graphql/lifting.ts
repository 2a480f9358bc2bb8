import { GraphQLError, Kind, Location, Source, Token, TokenKind, visit } from 'graphql';
import type {
  ASTNode,
  ASTVisitor,
  DocumentNode,
  NamedTypeNode,
  SelectionNode,
  VariableDefinitionNode,
  VariableNode,
} from 'graphql';
import type { Bound, Shape } from './shape.ts';

/** Takes any value as it is, so that what graphql-js made of variables and literals reaches the resolvers unchanged. */
const UNCHANGED: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: 'JSONObject' } };

const variable = (name: string): VariableNode => ({
  kind: Kind.VARIABLE,
  name: { kind: Kind.NAME, value: name },
});

const define = (node: VariableNode): VariableDefinitionNode => ({
  kind: Kind.VARIABLE_DEFINITION,
  variable: node,
  type: UNCHANGED,
});

/** Everything that an error can point at. Documents of one shape have the same places in the same order. */
function placesOf({ definitions }: Shape): ASTNode[] {
  const places: ASTNode[] = [];
  for (const definition of definitions)
    visit(definition, {
      Field: (node) => void places.push(node),
      Argument: ({ value }) => void places.push(value),
    });
  return places;
}

const NOWHERE = new Source('');

/** The compiler writes lines into its code: here the line is the number of a place. */
function locate(place: number): Location {
  const token = new Token(TokenKind.NAME, 0, 0, place, 1);
  return new Location(token, token, NOWHERE);
}

/**
 * The document that is compiled for a shape: each literal is a variable, each variable takes what graphql-js made of it, and what the
 * conditions exclude is left out. So graphql-jit neither coerces, nor defaults, nor decides, where it would differ from graphql-js.
 */
export function liftDocument(shape: Shape, { excluded }: Bound): DocumentNode {
  const lines = new Map(placesOf(shape).map((node, place) => [node, locate(place)]));
  const lifted = new Map(shape.literals.map(({ node, name }) => [node as ASTNode, variable(name)]));
  const own = (shape.operation.variableDefinitions ?? []).map((definition) => definition.variable);
  const select = <Node extends SelectionNode>(node: Node): Node | null =>
    excluded.has(node) ? null : { ...node, directives: [], loc: lines.get(node) };
  const lift: ASTVisitor = {
    OperationDefinition: (node) => ({
      ...node,
      variableDefinitions: [...own, ...lifted.values()].map(define),
    }),
    Field: select,
    FragmentSpread: select,
    InlineFragment: select,
    Argument: (node) => ({
      ...node,
      value: { ...(lifted.get(node.value) ?? node.value), loc: lines.get(node.value) },
    }),
  };
  return {
    kind: Kind.DOCUMENT,
    definitions: shape.definitions.map((definition) => visit(definition, lift)),
  };
}

/** Errors of a compiled query, at their places in the document that was sent. */
export function relocate(errors: readonly GraphQLError[], shape: Shape): GraphQLError[] {
  const places = placesOf(shape);
  return errors.map(
    ({ message, locations = [], path, originalError }) =>
      new GraphQLError(message, {
        nodes: locations.flatMap(({ line }) => places[line] ?? []),
        path,
        originalError,
      }),
  );
}
