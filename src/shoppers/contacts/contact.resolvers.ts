import type { Resolvers } from '../../generated/resolvers.ts';
import { countMailingList, pageMailingList } from './mailing-list.service.ts';

export const contactResolvers = {
  Query: { mailingList: (_root, page, ctx) => pageMailingList(ctx, page) },
  ContactConnection: { totalCount: (page, _args, ctx) => countMailingList(ctx, page) },
  Contact: { mediumvalue: (contact) => contact.value },
} satisfies Resolvers;
