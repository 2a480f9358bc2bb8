/** A variant; variants of one product share `empi`, `slug` and `dt`. `about` is the text of the product page, `details` are the rows of its table. */
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
  details: string[][];
  /** What the variants differ in, such as `Colour`, and the value of this one; empty if there is only one variant. */
  option: string;
  vi: string;
  /** The name of the picture. */
  image: string;
};

/** Slug, title, price, stock, text and details. Some are sold out at first, so that visitors can try alerts. Variants are `value=stock` or `value=stock@price`. */
const CATALOGUE = `
throw | Linen throw | 49.50 | 12 | Washed linen, heavy enough to stay where you put it. It gets softer with every winter. | Material: Washed linen; Size: 130 × 170 cm; Care: Machine wash at 40 °C
kettle | Pour-over kettle | 64 | 0 | A narrow spout that pours exactly where you look. Works on every hob, and on a camp fire. | Material: Stainless steel, beech handle; Size: 1 litre; Care: Rinse and wipe dry
mug | Stoneware mug | 18 | 40 | Thrown by hand, so no two are quite the same. Holds a pint, keeps it warm. | Material: Stoneware; Size: 0.5 litres; Care: Dishwasher safe
vase | Ceramic vase | 42 | 7 | For three stems or thirty. The glaze is fired twice and shrugs off hard water. | Material: Glazed ceramic; Size: 24 cm high; Care: Rinse with warm water
lamp | Reading lamp | 89 | 0 | A warm, steady light for the last chapter. The arm stays where you leave it. | Material: Beech, painted steel; Size: 46 cm high; Bulb: E27, included
planter | Herb planter | 24 | 15 | Room for five herbs and a window sill. The tray below catches what you overwater. | Material: Terracotta; Size: 50 × 15 cm; Care: Wipe with a damp cloth
candle | Beeswax candle | 14 | 60 | Pure beeswax, forty hours, and a whole room that smells of honey. | Material: Pure beeswax; Size: 9 × 7 cm; Burns for: 40 hours
board | Oak board | 36 | 9 | One piece of oak, oiled and ready. Turn it over when guests come. | Material: Oak; Size: 40 × 28 cm; Care: Oil it twice a year
apron | Canvas apron | 38 | Colour: Rust=8, Sage=0, Ink=5 | Heavy cotton canvas with one deep pocket. The straps cross at the back, so nothing pulls on your neck. | Material: Cotton canvas; Size: 85 cm long, fits everyone; Care: Machine wash at 40 °C
socks | Wool socks | 22 | Size: S=14, M=0, L=6 | Thick merino for cold floors. They survive the washing machine, and the dog. | Material: Merino wool; Fits: S 36–38, M 39–41, L 42–45; Care: Machine wash at 30 °C
cushion | Velvet cushion | 32 | Colour: Plum=6, Moss=11, Sand=0, Sky=3 | Soft cotton velvet with a feather filling. The cover comes off for washing. | Material: Cotton velvet, feathers; Size: 45 × 45 cm; Care: Machine wash the cover at 30 °C
pot | Enamel pot | 54 | Size: 2 litres=9, 4 litres=0@68 | Enamelled steel that goes from the stove to the table. Light enough to lift when it’s full. | Material: Enamelled steel; Width: 20 cm (2 litres), 24 cm (4 litres); Care: Dishwasher safe
`;

export const DEMO_PRODUCTS: DemoProduct[] = CATALOGUE.trim()
  .split('\n')
  .flatMap((line, index) => {
    const [slug = '', dt = '', price = '', stock = '', about = '', details = ''] = line.split(' | ');
    const [option, variants] = stock.includes(': ') ? stock.split(': ') : ['', `=${stock}`];
    return variants!.split(', ').map((variant) => {
      const [vi, stk, pr = price] = variant.split(/[=@]/) as [string, string, string?];
      return {
        ...{ slug, dt, vi, about, option: option!, bt: 'Hearth & Loom', empi: 101 + index },
        ...{ pr: Number(pr), stk: Number(stk), details: details.split('; ').map((row) => row.split(': ')) },
        sku: `HL-${`${slug} ${vi}`.trim().replaceAll(' ', '-').toUpperCase()}`,
        image: option === 'Colour' ? `${slug}-${vi.toLowerCase()}` : slug,
      };
    });
  })
  .map((variant, index) => ({ ...variant, epi: 1001 + index }));
