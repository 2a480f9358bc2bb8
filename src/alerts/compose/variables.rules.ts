import { SAMPLE_MODEL } from './template.rules.ts';
import type { AlertModel } from './template.rules.ts';

/** The dotted paths of a model, such as `store.name`. */
type NameIn<Model> = {
  [Key in keyof Model & string]: Model[Key] extends object ? `${Key}.${NameIn<Model[Key]>}` : Key;
}[keyof Model & string];

const MEANINGS = {
  'product.title': 'Title of the product',
  'product.variant': 'Variant, such as colour and size',
  'product.brand': 'Brand',
  'product.price': 'Price; | money writes it with your currency',
  'product.old_price': 'Price before, where a price fell',
  'product.stock': 'Units in stock',
  'product.url': 'Address of the product in your shop',
  'product.image': 'Address of its picture',
  'product.sku': 'SKU of the variant',
  'product.epi': 'Id of the variant',
  'product.empi': 'Id of the product',
  'store.name': 'Name of your store',
  'store.logo': 'Address of your logo, if you have one',
  'store.colour': 'Your colour, for buttons',
  'store.text_colour': 'Black or white, whichever can be read on your colour',
  'store.currency': 'Your currency, if you have told it',
  'store.locale': 'Language and country as which prices are written',
  topic: 'Name of this topic',
  unsubscribe_url: 'Address at which one leaves the topic',
  follows: 'Whether another alert stands above it in the same message',
} satisfies Record<NameIn<AlertModel>, string>;

export type TemplateVariable = { name: string; meaning: string; sample: string };

const sampleOf = (name: string): string => {
  const path = name.split('.');
  return String(path.reduce<unknown>((model, key) => (model as Record<string, unknown>)[key], SAMPLE_MODEL));
};

export const TEMPLATE_VARIABLES: TemplateVariable[] = Object.entries(MEANINGS).map(([name, meaning]) => ({
  name,
  meaning,
  sample: sampleOf(name),
}));
