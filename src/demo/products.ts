/** A product of the demo shop. */
export type DemoProduct = {
  slug: string;
  epi: number;
  empi: number;
  dt: string;
  bt: string;
  sku: string;
  pr: number;
  stk: number;
};

const BRAND = 'Hearth & Loom';

function product(number: number, slug: string, dt: string, pr: number, stk: number): DemoProduct {
  return {
    slug,
    dt,
    pr,
    stk,
    bt: BRAND,
    epi: 1000 + number,
    empi: 100 + number,
    sku: `HL-${slug.toUpperCase()}`,
  };
}

/** What the demo shop sells. Two products begin sold out, so that there is something to wait for. */
export const DEMO_PRODUCTS: DemoProduct[] = [
  product(1, 'throw', 'Linen throw', 49.5, 12),
  product(2, 'kettle', 'Pour-over kettle', 64, 0),
  product(3, 'mug', 'Stoneware mug', 18, 40),
  product(4, 'vase', 'Ceramic vase', 42, 7),
  product(5, 'lamp', 'Reading lamp', 89, 0),
  product(6, 'planter', 'Herb planter', 24, 15),
  product(7, 'candle', 'Beeswax candle', 14, 60),
  product(8, 'board', 'Oak board', 36, 9),
];
