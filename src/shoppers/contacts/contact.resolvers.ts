import type { Resolvers } from '../../generated/resolvers.ts';
import { pageMailingList } from './mailing-list.service.ts';

export const contactResolvers = {
  Query: { mailingList: (_root, page, ctx) => pageMailingList(ctx, page) },
  ContactConnection: { totalCount: (page) => page.count() },
  Contact: { mediumvalue: (contact) => contact.value },
} satisfies Resolvers;
