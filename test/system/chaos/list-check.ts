import type { ListHistory } from './list-history.ts';

/** A list as the database has it in the end. */
type ListRow = { lname: string; cnt: number; list: number[]; trash: number[] };

/** What histories say against what the database has: everything that was acknowledged, once, where it belongs, in its place, and counted right. */
export type ListVerdict = {
  acknowledged: number;
  lost: string[];
  doubled: string[];
  miscounted: string[];
  disordered: string[];
};

type Query = <Row extends Record<string, unknown>>(text: string) => Promise<Row[]>;

/** Reads every list of the run and judges. */
export async function checkLists(query: Query, histories: readonly ListHistory[]): Promise<ListVerdict> {
  const rows = await query<ListRow>(`
    SELECT lname, cnt, ARRAY(SELECT epi::int FROM item i WHERE i.pid = l.pid AND i.lid = l.lid ORDER BY seq) AS list,
           ARRAY(SELECT epi::int FROM deleted_item d WHERE d.pid = l.pid AND d.lid = l.lid) AS trash
    FROM list l`);
  const byName = new Map<string, ListRow[]>();
  for (const row of rows) byName.set(row.lname, [...(byName.get(row.lname) ?? []), row]);
  const verdict: ListVerdict = { acknowledged: 0, lost: [], doubled: [], miscounted: [], disordered: [] };
  for (const { cnt, list, lname } of rows) {
    if (cnt !== list.length) verdict.miscounted.push(`${lname}: ${cnt} of ${list.length}`);
    // Writers count up, and what comes back takes the place it had.
    if (list.some((epi, n) => n > 0 && epi < list[n - 1]!))
      verdict.disordered.push(`${lname}: ${list.join()}`);
  }
  for (const { lists, unsureNames, writes } of histories) {
    verdict.acknowledged += writes;
    for (const name of unsureNames)
      if ((byName.get(name)?.length ?? 0) > 1) verdict.doubled.push(`list ${name}`);
    for (const { lname, items, isUnsure } of lists) {
      const [row, ...more] = byName.get(lname) ?? [];
      if (more.length > 0) verdict.doubled.push(`list ${lname}`);
      if (isUnsure) continue;
      if (!row) {
        verdict.lost.push(`list ${lname}`);
        continue;
      }
      for (const [epi, place] of items) {
        const times = [...row.list, ...row.trash].filter((each) => each === epi).length;
        if (times > 1) verdict.doubled.push(`${lname}: ${epi}`);
        if (place !== 'unsure' && !row[place].includes(epi)) verdict.lost.push(`${lname}: ${epi}`);
      }
    }
  }
  return verdict;
}
