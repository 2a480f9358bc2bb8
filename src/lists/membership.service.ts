import { requireShopper } from '../context.ts';
import type { Context } from '../context.ts';
import { createBatchLoader, oncePerRequest } from '../platform/batch.ts';
import { charge } from '../platform/budget.ts';
import { membershipId } from '../platform/node-id.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import { checkVariants } from './item.rules.ts';
import { readListMemberships } from './list.reads.ts';
import { isOwn } from './list.view.ts';
import type { ListView } from './list.view.ts';
import { findMemberships } from './membership.repo.ts';

/** Finds the active lists of the shopper that contain these variants. */
export function isInLists(ctx: Context, epis: readonly string[], owner: ShopperRow = requireShopper(ctx)) {
  return membershipsOf(ctx, owner, checkVariants(epis));
}

const toMembership = ({ uid }: ShopperRow, epi: string, lids: string[]) => ({
  id: membershipId(uid, epi),
  epi,
  isInList: lids.length > 0,
  lids,
});

async function membershipsOf({ db }: Pick<Context, 'db'>, owner: ShopperRow, epis: readonly string[]) {
  const lids = new Map<string, string[]>(epis.map((epi) => [epi, []]));
  for (const { epi, lid } of await findMemberships(db, owner, epis)) lids.get(epi)!.push(lid);
  return [...lids].map(([epi, found]) => toMembership(owner, epi, found));
}

type Membership = ReturnType<typeof toMembership>;

/** Adds the memberships of the variants that a write touched; the client selects them only if `isSelected`. */
export async function withMemberships<Written extends { touched: readonly string[] }>(
  ctx: Context,
  writing: Promise<Written>,
  isSelected: boolean,
): Promise<Written & { memberships: Membership[] }> {
  const written = await writing;
  const memberships = isSelected ? await membershipsOf(ctx, requireShopper(ctx), written.touched) : [];
  return { ...written, memberships };
}

/** Approximate size of a membership and of each list id in a response. */
const BYTES = { membership: 100, lid: 25 };

async function loadMemberships(ctx: Context, wanted: readonly string[]): Promise<Membership[][]> {
  const owner = requireShopper(ctx);
  const { pid, regid } = owner;
  const row = await readListMemberships(ctx, { pid, regid, lids: [...new Set(wanted)] });
  const [variants, lids] = [new Map(row.variants), new Map(row.lids)];
  return wanted.map((lid) => {
    const found = (variants.get(lid) ?? []).map((epi) => toMembership(owner, epi, lids.get(epi) ?? []));
    // Lists with the same variants repeat their memberships.
    charge(
      ctx.budget,
      found.reduce((bytes, one) => bytes + BYTES.membership + BYTES.lid * one.lids.length, 0),
    );
    return found;
  });
}

const MAX_LISTS = 100;

const loaderOf = oncePerRequest((ctx: Context) =>
  createBatchLoader((lids: readonly string[]) => loadMemberships(ctx, lids), { maxBatch: MAX_LISTS }),
);

/** Memberships of the variants in a list of the caller. */
export function membershipsOfList(ctx: Context, list: ListView): Promise<Membership[]> | Membership[] {
  if (!isOwn(ctx, list.owner)) return [];
  return list.variants ? membershipsOf(ctx, list.owner, list.variants) : loaderOf(ctx)(list.lid);
}
