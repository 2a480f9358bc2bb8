import type { Item } from '../../../packages/client/src/wishgate.ts';
import type { Lists } from './lists.ts';
import type { Tools } from './more.ts';

export const MESSAGE_MS = 4_000;

/** The messages `browser.*` of src/messages/shopper by language; tools/bundle.mjs fills them in. */
declare const BROWSER_TEXTS: Record<
  string,
  Record<'email' | 'notify' | 'remove' | 'empty' | 'close', string>
>;

/** The texts in the page's language, else in the browser's. */
function texts(): (typeof BROWSER_TEXTS)[string] {
  const wanted = [document.documentElement.lang, ...navigator.languages].map((tag) => tag.split(/[-_]/)[0]!);
  return BROWSER_TEXTS[wanted.find((language) => language in BROWSER_TEXTS) ?? 'en']!;
}

/** Extracts the text of a message that may be HTML, without running any of it. */
function wordsOf(message: string): string {
  const page = new DOMParser().parseFromString(message, 'text/html');
  page.querySelectorAll('style, script').forEach((element) => element.remove());
  return page.body.textContent.replace(/\s+/g, ' ').trim();
}

/** Shows a message, which screen readers announce. Pages style it by its classes. */
export function show(kind: 'success' | 'error', given: string | { message?: string } | undefined): void {
  const note = document.createElement('div');
  note.className = `wishgate-notification wishgate-notification-${kind}`;
  note.setAttribute('role', kind === 'error' ? 'alert' : 'status');
  note.style.cssText =
    'position:fixed;bottom:1rem;left:50%;transform:translateX(-50%);padding:.75rem 1.25rem;border-radius:.5rem;background:#222;color:#fff;z-index:2147483647';
  note.textContent = wordsOf((typeof given === 'object' ? given.message : given) ?? '');
  document.body.append(note);
  setTimeout(() => note.remove(), MESSAGE_MS);
}

/** Asks for an email address in the page's element or a dialog; returns null if the visitor closes it. */
export function askAddress(place: Element | null): Promise<string | null> {
  return new Promise((resolve) => {
    const form = document.createElement('form');
    const { email, notify } = texts();
    form.innerHTML = `<label>${email} <input type="email" required autocomplete="email"></label> <button>${notify}</button>`;
    const dialog = place ? null : document.createElement('dialog');
    (dialog ?? place!).replaceChildren(form);
    const finish = (address: string | null): void => {
      (dialog ?? form).remove();
      resolve(address);
    };
    form.onsubmit = (event) => {
      event.preventDefault();
      finish(form.querySelector('input')!.value);
    };
    if (dialog) open(dialog, () => finish(null));
  });
}

function open(dialog: HTMLDialogElement, onClose: () => void): void {
  dialog.className = 'wishgate-dialog';
  dialog.onclose = onClose;
  document.body.append(dialog);
  dialog.showModal();
}

/** Creates an element with properties and children. */
function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  fields: Partial<HTMLElementTagNameMap[Name]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), fields);
  made.append(...children);
  return made;
}

/** A plain list in place of the public product's wishlist page and its drawer. Pages style it by its classes. */
export function createWishlist({ client, tag, emit, older }: Tools, { fetchListCtx }: Lists) {
  const priceOf = ({ pr }: Item): string => {
    const style = tag.currency ? { style: 'currency' as const, currency: tag.currency } : {};
    return pr === null ? '' : new Intl.NumberFormat(undefined, style).format(pr);
  };
  const rowOf = (item: Item, redraw: (() => Promise<void>) | null): HTMLLIElement => {
    const { remove } = texts();
    const picture = item.iu ? [element('img', { src: item.iu, alt: '', width: 80 })] : [];
    const link = element('a', { href: item.du }, ...picture, item.dt ?? '');
    const row = element('li', { className: 'wishgate-item' }, link, ` ${priceOf(item)} `);
    if (!redraw) return row;
    const button = element('button', { type: 'button', ariaLabel: `${remove}: ${item.dt ?? ''}` }, remove);
    button.onclick = async () => {
      emit('removedFromWishlist', await client.deleteFromList(item.lid, { epi: item.epi }));
      await redraw();
    };
    row.append(button);
    return row;
  };
  /** Another shopper's list, named by `lid`, cannot be changed. */
  const renderWishlist = async (place: Element, { lid }: { lid?: string } = {}): Promise<void> => {
    const lists = (await client.fetchLists()).filter((list) => (lid ? list.lid === lid : list.lty !== 'sfl'));
    const redraw = lists.length > 0 ? () => renderWishlist(place, { lid }) : null;
    const items = lid
      ? await fetchListCtx(lid)
      : (await Promise.all(lists.map((list) => fetchListCtx(list)))).flat();
    const rows = items.map((item) => rowOf(item, redraw));
    place.replaceChildren(
      rows.length > 0 ? element('ul', { className: 'wishgate-items' }, ...rows) : texts().empty,
    );
    older.buttons.draw();
  };
  return {
    renderWishlist,
    openWishlist: async (): Promise<void> => {
      const place = element('div', {});
      const close = element('button', { type: 'button' }, texts().close);
      const dialog = element('dialog', {}, element('h2', {}, tag.listName), place, close);
      close.onclick = () => dialog.close();
      await renderWishlist(place);
      open(dialog, () => dialog.remove());
    },
  };
}
