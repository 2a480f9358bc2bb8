import { plainId } from '../../../packages/client/src/ids.ts';
import { trackNewest } from '../../../packages/client/src/newest.ts';
import { pageData, withPageData } from './page.ts';
import type { PageProduct } from './page.ts';

type Action = (product: PageProduct) => Promise<unknown>;
type Actions = Record<'add' | 'remove' | 'watch', Action> & { savedItems: () => Promise<object[]> };

const SAVED = 'swym-added';

/** A button without ids is of the page's own product. */
function productOf({ dataset }: HTMLElement): PageProduct {
  const { variantId: epi, productId: empi, productUrl: du } = dataset;
  return epi || empi ? withPageData({ epi, empi, du }) : (pageData.SwymPageData ?? { epi: '' });
}

/** Handles buttons with `data-swaction`, whose other attributes or the page's data describe the product. */
export function createButtons({ add, remove, watch, savedItems }: Actions) {
  const begin = trackNewest();
  const find = (selector: string, inside: ParentNode = document): HTMLElement[] => [
    ...inside.querySelectorAll<HTMLElement>(selector),
  ];
  const draw = async (): Promise<void> => {
    const isNewest = begin();
    // Themes hide the buttons until they have this class.
    find('.swym-button,[data-swaction]').forEach(({ classList }) => classList.add('swym-loaded'));
    const hearts = find('[data-swaction="addToWishlist"]');
    if (hearts.length === 0) return;
    const saved = new Set((await savedItems()).map((item) => String((item as PageProduct).epi)));
    if (!isNewest()) return;
    hearts.forEach((heart) => heart.classList.toggle(SAVED, saved.has(plainId(productOf(heart).epi ?? ''))));
  };
  const press = async (button: HTMLElement): Promise<void> => {
    const product = productOf(button);
    if (button.dataset['swaction'] === 'addToWatchlist') return void (await watch(product));
    await (button.classList.contains(SAVED) ? remove(product) : add(product));
  };
  const quietly = (work: Promise<void>): void => void work.catch((error: unknown) => console.warn(error));

  return {
    draw: () => quietly(draw()),
    /** `selector` names buttons inside `container` that have no `data-swaction`, which become hearts. */
    initialize: (container?: string | ParentNode | null, selector?: string): void => {
      if (selector) {
        const places = typeof container === 'string' ? find(container) : [container ?? document];
        const buttons = places.flatMap((place) => find(selector, place));
        buttons.forEach(({ dataset }) => (dataset['swaction'] ||= 'addToWishlist'));
      }
      quietly(draw());
    },
    /** One listener serves all buttons, including those added later. */
    listen: () =>
      document.addEventListener('click', (event) => {
        const button = (event.target as Element).closest<HTMLElement>('[data-swaction^="addToW"]');
        if (!button) return;
        // Themes put buttons into links and forms.
        event.preventDefault();
        quietly(press(button));
      }),
  };
}
