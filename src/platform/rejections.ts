import { Kind } from 'graphql';
import type { GraphQLArgument, GraphQLInputField } from 'graphql';
import type { ErrorType } from './errors.ts';

/** An argument or a field of an input. */
export type Input = { astNode?: (GraphQLArgument | GraphQLInputField)['astNode'] };

/** The failure that the schema names for a value that is missing or cannot be (`@refusedAs`); null where it names none. */
export function refusalOf({ astNode }: Input): ErrorType | null {
  const mark = astNode?.directives?.find(({ name }) => name.value === 'refusedAs');
  const value = mark?.arguments?.[0]?.value;
  // The schema was checked: its enum of failures is made from their table.
  return value?.kind === Kind.ENUM ? (value.value.replaceAll('_', '-') as ErrorType) : null;
}

/** The same for the innermost of several around one another; `invalid-request` where none of them names any. */
export function innermostRefusal(inputs: readonly Input[]): ErrorType {
  return inputs.map(refusalOf).findLast((type) => type !== null) ?? 'invalid-request';
}
