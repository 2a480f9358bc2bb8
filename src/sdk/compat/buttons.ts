import { plainId } from '../../../packages/client/src/ids.ts';
import { trackNewest } from '../../../packages/client/src/newest.ts';
import type { PageProduct } from './call.ts';

type Action = (product: PageProduct) => Promise<unknown>;
type Actions = Record<'add' | 'remove' | 'watch', Action> & { savedItems: () => Promise<object[]> };

const SAVED = 'swym-added';

/** Handles buttons with `data-swaction`, whose other attributes describe the product. */
export function createButtons({ add, remove, watch, savedItems }: Actions) {
  const begin = trackNewest();
  const draw = async (): Promise<void> => {
    const isNewest = begin();
    const hearts = [...document.querySelectorAll<HTMLElement>('[data-swaction="addToWishlist"]')];
    if (hearts.length === 0) return;
    const saved = new Set((await savedItems()).map((item) => String((item as PageProduct).epi)));
    if (!isNewest()) return;
    hearts.forEach((heart) =>
      heart.classList.toggle(SAVED, saved.has(plainId(heart.dataset['variantId'] ?? ''))),
    );
  };
  const press = async (button: HTMLElement): Promise<void> => {
    const { swaction, variantId: epi = '', productId: empi, productUrl: du } = button.dataset;
    const product = { epi, empi, du };
    if (swaction !== 'addToWishlist') return void (await watch(product));
    await (button.classList.contains(SAVED) ? remove(product) : add(product));
  };
  const quietly = (work: Promise<void>): void => void work.catch((error: unknown) => console.warn(error));

  return {
    draw: () => quietly(draw()),
    /** One listener serves all buttons, including those added later. */
    listen: () =>
      document.addEventListener('click', ({ target }) => {
        const button = (target as Element).closest<HTMLElement>('[data-swaction][data-variant-id]');
        if (button) quietly(press(button));
      }),
  };
}
