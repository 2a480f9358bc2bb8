/** `about` is the text of the product page. */
export type DemoProduct = {
  slug: string;
  epi: number;
  empi: number;
  dt: string;
  bt: string;
  sku: string;
  pr: number;
  stk: number;
  about: string;
};

/** Slug, title, price, stock and text. Two products are sold out at first, so that visitors can try alerts. */
const CATALOGUE = `
throw | Linen throw | 49.50 | 12 | Washed linen, heavy enough to stay where you put it. It gets softer with every winter.
kettle | Pour-over kettle | 64 | 0 | A narrow spout that pours exactly where you look. Works on every hob, and on a camp fire.
mug | Stoneware mug | 18 | 40 | Thrown by hand, so no two are quite the same. Holds a pint, keeps it warm.
vase | Ceramic vase | 42 | 7 | For three stems or thirty. The glaze is fired twice and shrugs off hard water.
lamp | Reading lamp | 89 | 0 | A warm, steady light for the last chapter. The arm stays where you leave it.
planter | Herb planter | 24 | 15 | Room for five herbs and a window sill. The tray below catches what you overwater.
candle | Beeswax candle | 14 | 60 | Pure beeswax, forty hours, and a whole room that smells of honey.
board | Oak board | 36 | 9 | One piece of oak, oiled and ready. Turn it over when guests come.
`;

export const DEMO_PRODUCTS: DemoProduct[] = CATALOGUE.trim()
  .split('\n')
  .map((line, index) => {
    const [slug, dt, pr, stk, about] = line.split(' | ') as [string, string, string, string, string];
    return {
      slug,
      dt,
      pr: Number(pr),
      stk: Number(stk),
      about,
      bt: 'Hearth & Loom',
      epi: 1001 + index,
      empi: 101 + index,
      sku: `HL-${slug.toUpperCase()}`,
    };
  });
