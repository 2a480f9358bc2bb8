/** Background work leaves out a store that moves: its rows lie here before it arrives, and after it has left (decision 35). */
export const IN_SERVICE = { store: { moveStep: null } } as const;

/** The same in SQL: one look at an index that is nearly always empty. */
export const inService = (pid: string): string =>
  `${pid} <> ALL (ARRAY(SELECT pid FROM store WHERE move_step IS NOT NULL))`;
