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
  /** Two sentences for its page in the demo shop. */
  about: string;
};

const BRAND = 'Hearth & Loom';

function product(
  number: number,
  slug: string,
  dt: string,
  pr: number,
  stk: number,
  about: string,
): DemoProduct {
  return {
    slug,
    dt,
    pr,
    stk,
    about,
    bt: BRAND,
    epi: 1000 + number,
    empi: 100 + number,
    sku: `HL-${slug.toUpperCase()}`,
  };
}

/** What the demo shop sells. Two products begin sold out, so that there is something to wait for. */
export const DEMO_PRODUCTS: DemoProduct[] = [
  product(
    1,
    'throw',
    'Linen throw',
    49.5,
    12,
    'Washed linen, heavy enough to stay where you put it. It gets softer with every winter.',
  ),
  product(
    2,
    'kettle',
    'Pour-over kettle',
    64,
    0,
    'A narrow spout that pours exactly where you look. Works on every hob, and on a camp fire.',
  ),
  product(
    3,
    'mug',
    'Stoneware mug',
    18,
    40,
    'Thrown by hand, so no two are quite the same. Holds a pint, keeps it warm.',
  ),
  product(
    4,
    'vase',
    'Ceramic vase',
    42,
    7,
    'For three stems or thirty. The glaze is fired twice and shrugs off hard water.',
  ),
  product(
    5,
    'lamp',
    'Reading lamp',
    89,
    0,
    'A warm, steady light for the last chapter. The arm stays where you leave it.',
  ),
  product(
    6,
    'planter',
    'Herb planter',
    24,
    15,
    'Room for five herbs and a window sill. The tray below catches what you overwater.',
  ),
  product(
    7,
    'candle',
    'Beeswax candle',
    14,
    60,
    'Pure beeswax, forty hours, and a whole room that smells of honey.',
  ),
  product(
    8,
    'board',
    'Oak board',
    36,
    9,
    'One piece of oak, oiled and ready. Turn it over when guests come.',
  ),
];
