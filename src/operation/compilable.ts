import { BREAK, Kind, visit } from 'graphql';
import type { DocumentNode } from 'graphql';

/**
 * What an argument may be in a compiled document. graphql-jit makes null of a variable that is left out within a literal,
 * drops one within a JSON literal, and writes texts into the code it makes, where some of them would run as code.
 */
const FAITHFUL_ARGUMENTS: ReadonlySet<Kind> = new Set([
  Kind.VARIABLE,
  Kind.INT,
  Kind.BOOLEAN,
  Kind.ENUM,
  Kind.NULL,
]);

/**
 * Whether graphql-jit runs a document just as graphql-js does. It differs as well in defaults of variables (one of a
 * non-null variable is not used), in conditions on a fragment that is spread twice, and in names such as `__proto__`;
 * introspection gains nothing.
 */
export function isCompiledFaithfully(document: DocumentNode): boolean {
  let isFaithful = true;
  const giveUp = (): typeof BREAK => {
    isFaithful = false;
    return BREAK;
  };
  visit(document, {
    Directive: giveUp,
    VariableDefinition: ({ defaultValue }) => (defaultValue ? giveUp() : undefined),
    Argument: ({ value }) => (FAITHFUL_ARGUMENTS.has(value.kind) ? undefined : giveUp()),
    Name: ({ value }) => (value.startsWith('__') && value !== '__typename' ? giveUp() : undefined),
  });
  return isFaithful;
}
