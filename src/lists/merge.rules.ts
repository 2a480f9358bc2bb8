type MergeList = {
  lid: string;
  lname: string;
  lty: string | null;
  isSfl: boolean;
  isActive: boolean;
  seq: number;
};

/** Lists to move whole, and lists to join, in rounds in which every target occurs once. */
export type MergePlan = { moving: string[]; rounds: { from: string; to: string }[][] };

/** Null and `wl` are one type. The save-for-later list is one whatever its name. */
function kindOf({ lname, lty, isSfl }: MergeList): string {
  return isSfl ? 'sfl' : JSON.stringify([lty ?? 'wl', lname]);
}

/**
 * Decides where each of a guest's lists goes: into the account's oldest active list of the same type and name, the save-for-later
 * list into the account's, every other one moves over whole.
 */
export function planMerge(guestLists: readonly MergeList[], accountLists: readonly MergeList[]): MergePlan {
  const bySeq = (left: MergeList, right: MergeList): number => left.seq - right.seq;
  const targets = new Map<string, string>();
  for (const list of [...accountLists].sort(bySeq)) {
    const kind = kindOf(list);
    if ((list.isActive || list.isSfl) && !targets.has(kind)) targets.set(kind, list.lid);
  }
  const plan: MergePlan = { moving: [], rounds: [] };
  const joined = new Map<string, number>();
  for (const list of [...guestLists].sort(bySeq)) {
    const to = targets.get(kindOf(list));
    if (to === undefined) {
      plan.moving.push(list.lid);
      continue;
    }
    const round = joined.get(to) ?? 0;
    joined.set(to, round + 1);
    (plan.rounds[round] ??= []).push({ from: list.lid, to });
  }
  return plan;
}
