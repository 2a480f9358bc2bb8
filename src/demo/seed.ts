import type { Services } from '../context.ts';
import { findVariants, writeProducts } from '../domain/catalog/catalog.service.ts';
import { DEMO_PRODUCTS } from './products.ts';

/** Fills the demo store's catalogue. Stock is set for new products only: what a visitor changed survives a restart. */
export async function seedDemoCatalog({ config, db, now }: Services, pid: string): Promise<void> {
  const all = DEMO_PRODUCTS.map((product) => String(product.epi));
  const known = new Set((await findVariants(db, pid, all)).map(({ epi }) => epi));
  const products = DEMO_PRODUCTS.map(({ slug, stk, about: _about, ...product }) => ({
    ...product,
    epi: String(product.epi),
    empi: String(product.empi),
    du: `${config.publicUrl}/demo#/p/${slug}`,
    iu: `${config.publicUrl}/demo/images/${slug}.svg`,
    stk: known.has(String(product.epi)) ? null : stk,
  }));
  await db.transaction((tx) => writeProducts(tx, pid, products, now()));
}
