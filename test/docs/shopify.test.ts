import { readFileSync, readdirSync } from 'node:fs';
import { Liquid } from 'liquidjs';

const EXTENSION = new URL('../../examples/shopify/extensions/wishgate/', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, EXTENSION), 'utf8');
const BLOCKS = readdirSync(new URL('blocks/', EXTENSION)).map((file) => file.replace('.liquid', ''));

/** Renders a block as Shopify does: with the filters that Liquid itself lacks. */
function render(block: string, values: { settings?: object; customer?: object; product?: object }): string {
  const engine = new Liquid({ strictFilters: true });
  engine.registerFilter('image_url', (image: { src: string } | null) => image?.src ?? '');
  engine.registerFilter(
    't',
    (key: string) => (JSON.parse(read('locales/en.default.json')) as Record<string, string>)[key],
  );
  const [template] = read(`blocks/${block}.liquid`).split('{% schema %}');
  const { product, settings, customer } = values;
  const shown = { id: 'b1', shopify_attributes: '', settings: { ...settings, product } };
  const context = {
    block: shown,
    customer,
    shop: { url: 'https://shop.example' },
    request: { design_mode: true },
  };
  return engine.parseAndRenderSync(template!, context) as string;
}

type Schema = { name: string; target: string; settings: { id: string; type: string }[] };
const schemaOf = (block: string): Schema =>
  JSON.parse(/\{% schema %\}([\s\S]*)\{% endschema %\}/.exec(read(`blocks/${block}.liquid`))![1]!) as Schema;

const SETTINGS = { service: 'https://wishes.example ', pid: 'a+b/c=', events: 'ga4', color: '#c00' };
const VARIANT = { id: 11, url: '/products/bag?variant=11', price: 2950, available: false };
const PRODUCT = {
  ...{ id: 1, title: 'Bag "XL" <b>', variants: [VARIANT], selected_variant: VARIANT },
  ...{ selected_or_first_available_variant: VARIANT, featured_image: null },
};

test.each(BLOCKS)('%s has a schema that the theme editor can show', (block) => {
  const { name, target, settings } = schemaOf(block);
  expect(name.length).toBeLessThanOrEqual(25);
  expect(['section', 'body']).toContain(target);
  const used = [...read(`blocks/${block}.liquid`).matchAll(/block\.settings\.(\w+)/g)].map(([, id]) => id);
  expect([...new Set(used)].sort()).toEqual(settings.map(({ id }) => id).sort());
});

/** The script of a page must be one that a browser can read. */
const scriptOf = (html: string): string => /<script type="module">([\s\S]*)<\/script>/.exec(html)![1]!;

test('the app embed starts the elements for guests and logs customers in', () => {
  const guest = scriptOf(render('wishlist', { settings: SETTINGS }));
  expect(guest).toContain('from "https://wishes.example/client/elements.mjs"');
  expect(guest).toContain('const pid = "a+b/c=";');
  expect(guest).toContain('const customer = null;');
  const customer = scriptOf(render('wishlist', { settings: SETTINGS, customer: { id: 7 } }));
  expect(customer).toContain('const customer = 7;');
});

test('the app embed without settings says what to enter, in the editor only', () => {
  expect(render('wishlist', { settings: { service: '', pid: '' } })).toMatch(/<p>Wishlist: enter .*<\/p>/);
});

test('a heart saves the selected variant, and no title leaves its attribute', () => {
  const html = render('heart', { product: PRODUCT });
  for (const part of [
    'epi="11"',
    'empi="1"',
    'price="29.5"',
    'title="Bag &#34;XL&#34; &lt;b&gt;"',
    'du="https://shop.example/products/bag?variant=11"',
  ])
    expect(html).toContain(part);
  expect(html).not.toContain('image=');
  expect(render('heart', {}).trim()).toBe('');
});

test('the form for an alert is there only while the variant is sold out', () => {
  expect(render('notify', { product: PRODUCT })).toContain('<wishgate-notify');
  const inStock = { ...VARIANT, available: true };
  expect(render('notify', { product: { ...PRODUCT, selected_variant: inStock } }).trim()).toBe('');
});

test('the list block shows the kind that the merchant chose', () => {
  expect(render('list', { settings: { kind: 'list' } })).toContain('<wishgate-list>');
  expect(render('list', { settings: { kind: 'saved' } })).toContain('<wishgate-save-for-later>');
});
