import type { ConsentRow } from './consent.repo.ts';

/** A contact with its last choice about the mailing list. */
export type Choice = Pick<ConsentRow, 'medium' | 'value' | 'acceptmarketing' | 'signuptime' | 'acceptsource'>;

export function eventOf({ medium, value, acceptmarketing, signuptime, acceptsource }: Choice) {
  return {
    type: acceptmarketing ? ('contact.optedin' as const) : ('contact.optedout' as const),
    data: { medium, value, signuptime: signuptime.getTime(), acceptsource },
  };
}

/** The copy of a choice in the preferences of its shopper. */
export function copyOf({ acceptmarketing, signuptime, acceptsource }: Choice) {
  const preference = { signuptime: signuptime.getTime(), acceptmarketing, acceptsource };
  return { acc_mkt: acceptmarketing, preference };
}
