import { clientError, newError } from '../../../packages/client/src/error.ts';
import { plainId } from '../../../packages/client/src/ids.ts';
import type { VariantId } from '../../../packages/client/src/wishgate.ts';
import { invoke } from './call.ts';
import type { Callback } from './call.ts';
import { clean } from './clean.ts';
import type { Tools } from './more.ts';
import { pageData, withPageData } from './page.ts';
import type { PageProduct, ShopProduct } from './page.ts';
import { productOfMarkup } from './markup.ts';

/** The longest that adding waits for data of the shop. */
const READ_MS = 2_000;

/** Addresses of the platform begin with the language, for example `/de/`. */
const rootUrl = (path: string): string =>
  new URL((pageData.Shopify?.routes?.root ?? '/') + path, location.href).href;

const handleOf = (du: string | undefined): string | undefined =>
  /\/products\/([^/?#]+)/.exec(du ?? '')?.[1]?.replace(/\.js$/, '');

/** A picture of the platform is a text or an object with one. */
const pictureOf = (image: unknown): string | undefined =>
  typeof image === 'object' && image
    ? (image as { src?: string }).src
    : ((image as string | null) ?? undefined);

const isAvailable = (variant: ShopProduct['variants'][number]): boolean => variant['available'] !== false;

/** The fields of an item, from the platform's JSON; without `epi` those of the first variant that can be bought. */
function itemOf(product: ShopProduct, epi?: VariantId): PageProduct {
  const { variants, images } = product as ShopProduct & { images?: unknown[] };
  const variant =
    epi == null
      ? (variants.find(isAvailable) ?? variants[0]!)
      : variants.find(({ id }) => String(id) === plainId(epi))!;
  const { title } = variant as { title?: string };
  const price = (value: unknown) => (value == null ? undefined : Number(value) / 100);
  return {
    epi: variant.id,
    empi: product.id,
    dt: product['title'],
    bt: product['vendor'],
    vi: title === 'Default Title' ? undefined : title,
    sku: variant['sku'],
    iu: pictureOf(variant['featured_image'] ?? product['featured_image'] ?? images?.[0]),
    pr: price(variant['price'] ?? product['price']),
    op: price(variant['compare_at_price'] ?? product['compare_at_price']),
    stk: variant['inventory_quantity'],
  };
}

const isOf = (product: ShopProduct, { epi, empi }: PageProduct): boolean =>
  epi
    ? product.variants.some(({ id }) => String(id) === plainId(epi))
    : !empi || String(product.id) === plainId(empi);

const withGiven = (found: PageProduct, given: PageProduct): PageProduct => ({
  ...found,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value != null && value !== '')),
});

/** Reads products and writes the cart of the platform, on the page's own origin. */
export function createShop({ client, emit, older }: Tools) {
  const reads = new Map<string, Promise<ShopProduct>>();
  const readProduct = async (handle: string): Promise<ShopProduct> => {
    const response = await fetch(rootUrl(`products/${handle}.js`), {
      headers: { accept: 'application/json' },
    });
    const product = (await response.json()) as ShopProduct;
    if (!response.ok || !Array.isArray(product.variants)) throw new Error('The shop has no such product');
    return product;
  };
  /** Concurrent calls share a read; a failed one is repeated by the next call. */
  const productAt = (handle: string): Promise<ShopProduct> => {
    const reading = reads.get(handle) ?? readProduct(handle);
    reads.set(handle, reading);
    reading.catch(() => reads.delete(handle));
    return reading;
  };
  const getProductDetails = async (product: PageProduct): Promise<ShopProduct> => {
    const handle = handleOf(product.du) ?? handleOf(withPageData(product).du);
    if (!handle) throw clientError('not-found', 'du must be the URL of a product page');
    return productAt(handle);
  };

  /** Adds what the shop's data has of a product. Data of another product is not used. */
  const fill = async (given: PageProduct): Promise<PageProduct> => {
    const isNamed = !!(given.epi || given.empi || given.du);
    const handle = handleOf(given.du ?? location.href);
    const product = handle && isNamed ? await productAt(handle).catch(() => null) : null;
    if (product)
      return isOf(product, given) ? withGiven(clean(itemOf(product, given.epi || undefined)), given) : given;
    const here = new URL(location.href).pathname;
    const isHere = new URL(given.du ?? here, location.href).pathname === here;
    return isHere && given.epi ? withGiven(clean(productOfMarkup() as PageProduct), given) : given;
  };

  /** Cleaned at once; the time for what is missing is limited, because a slow shop must not keep the product from being added. */
  const complete = async (product: PageProduct): Promise<PageProduct> => {
    const given = clean(product);
    if ((given['dt'] ?? given['title']) && given['iu'] && given['pr'] != null && given.epi) return given;
    const late = new Promise<PageProduct>((resolve) => setTimeout(resolve, READ_MS, given));
    return Promise.race([fill(given), late]);
  };

  const itemDetails = async (item: PageProduct) => {
    const productDetail = await getProductDetails(item);
    if (!isOf(productDetail, item)) throw clientError('not-found', 'The product has no such variant');
    const { iu: featured_image, ...variantDetail } = itemOf(productDetail, item.epi);
    return { productDetail, variantDetail: { ...variantDetail, featured_image } };
  };

  return {
    complete,
    getProductDetails,
    /** Calls back with each product and its item, and at the end with all of them. */
    fetchProductForItems: async (
      items: PageProduct[],
      onItem?: Callback,
      onItemError?: Callback,
      onEnd?: Callback,
    ) => {
      const read = async (item: PageProduct) => {
        try {
          const details = await itemDetails(item);
          invoke(onItem, details, item);
          return [details];
        } catch (error) {
          invoke(onItemError, error, item);
          return [];
        }
      };
      const responses = (await Promise.all(items.map(read))).flat();
      invoke(onEnd, responses);
      return responses;
    },
    /** Puts products in the platform's form where buttons find them. */
    mapShopifyProducts: async (products: (ShopProduct & { handle?: string })[]) => {
      const views = (pageData.SwymViewProducts ??= {});
      const variants = (pageData.SwymProductVariants ??= {});
      for (const product of products) {
        const du = product.handle && rootUrl(`products/${product.handle}`);
        const add = (epi?: VariantId): PageProduct => ({ ...itemOf(product, epi), du });
        views[product.id] = add();
        if (product.handle) views[product.handle] = views[product.id]!;
        product.variants.forEach(({ id }) => (variants[id] = add(id)));
      }
      older.buttons.draw();
      return products;
    },
    /** `ok` receives the cart's response as text, as from the public product. */
    replayAddToCart: async (product: PageProduct | null, variantId?: VariantId): Promise<string> => {
      const id = variantId ?? product?.epi;
      if (!id) throw clientError('invalid-request', 'The variant is missing');
      const response = await fetch(rootUrl('cart/add.js'), {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({ id: plainId(id), quantity: Number(product?.['qty']) || 1 }),
      });
      const text = await response.text();
      if (!response.ok) throw newError(`The cart returned ${response.status}`, response, text, null);
      emit('addedToCart', { ...product, epi: id });
      return text;
    },
    updateWishlistEvent: async (items: PageProduct[]) => {
      const { lid } = await older.defaultList();
      return Promise.all([items].flat().map((item) => client.updateListItem(lid, clean(item))));
    },
  };
}
