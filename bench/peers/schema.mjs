// The part of the GraphQL schema that is measured.
import { GraphQLScalarType } from 'graphql';
import { wireId } from './shared.mjs';

/** SDL; the same names and answers as wishgate's. */
export const typeDefs = `
  scalar VariantId
  scalar Timestamp
  type Query { allLists: [List!]! }
  type List { lid: ID! lname: String! lty: String cnt: Int! uts: Timestamp! listcontents: [Item!]! }
  type Item { epi: VariantId! empi: VariantId! du: String! qty: Int! note: String dt: String pr: Float iu: String }
`;

/** The scalars of the wire. */
export const scalars = {
  VariantId: new GraphQLScalarType({ name: 'VariantId', serialize: wireId }),
  Timestamp: new GraphQLScalarType({ name: 'Timestamp', serialize: (date) => date.getTime() }),
};
