import type { Tx } from '../../platform/database/database.ts';
import { findProducts, writeProducts } from '../../stores/catalogue/catalog.service.ts';
import { DEMO_PRODUCTS } from './products.ts';

/** Sets stock and price for new products only, so that a visitor's changes survive a restart. */
export async function seedDemoCatalog(tx: Tx, pid: string, now: Date): Promise<void> {
  const all = DEMO_PRODUCTS.map((product) => String(product.epi));
  const known = new Set((await findProducts(tx, pid, all)).map(({ epi }) => epi));
  const products = DEMO_PRODUCTS.map(({ epi, empi, slug, image, dt, bt, vi, sku, stk, pr }) => ({
    ...{ dt, bt, vi, sku },
    epi: String(epi),
    empi: String(empi),
    du: `/demo#/p/${slug}`,
    iu: `/demo/images/${image}.svg`,
    ...(known.has(String(epi)) ? {} : { stk, pr }),
  }));
  await writeProducts(tx, pid, products, now);
}
