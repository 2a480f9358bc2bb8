import type { ProductInput } from '../../client/src/wishgate.ts';
import { define, h } from './element.ts';
import { Items } from './items.ts';
import { page, refresh, wishlists } from './session.ts';
import type { Say } from './text.ts';
import type { SavedItem } from './types.ts';

/** The shopper's wishlists, one at a time, or the public list of `lid`. */
class WishgateList extends Items {
  static observedAttributes = ['lid', 'list', 'lang', 'share-url', 'for-later'];
  #chosen = '';
  #isCopied = false;

  protected wanted() {
    const lid = this.value('lid');
    const lists = this.#lists();
    const list = lists.find((own) => own.lid === (lid || this.#chosen)) ?? (lid ? undefined : lists[0]);
    if (!page.lists && !(lid && page.client)) return null;
    return { lid: list?.lid ?? lid, version: list?.version ?? 0 };
  }

  protected override head(say: Say): Node[] {
    const { list } = this;
    if (!list) return [];
    const choose = ({ target }: Event): void => {
      this.#chosen = (target as HTMLSelectElement).value;
      this.update();
    };
    const option = ({ lid, lname }: { lid: string; lname: string }) =>
      h('option', { value: lid, selected: lid === list.lid }, lname);
    const lists = this.#lists();
    const name =
      lists.length > 1 && !this.value('lid')
        ? h('select', { id: 'lists', 'aria-label': say('lists'), onchange: choose }, ...lists.map(option))
        : h('h2', { part: 'name' }, list.lname);
    return [h('div', { part: 'head' }, name, ...this.#sharing(say))];
  }

  protected buttons(item: SavedItem, say: Say): Node[] {
    const { epi, dt, availability } = item;
    const add = this.button(`add:${epi}`, say('add'), dt, () => this.emit('add-to-cart', { item }));
    const later = this.button(`later:${epi}`, say('later'), dt, () => this.#saveForLater(item));
    const hasLater = this.list!.owner.isMe && this.hasAttribute('for-later');
    return [...(availability === 'OUT_OF_STOCK' ? [] : [add]), ...(hasLater ? [later] : [])];
  }

  /** The shopper's wishlists, or only the one that the `list` attribute names. */
  #lists() {
    const name = this.value('list');
    return wishlists().filter(({ lname }) => !name || lname === name);
  }

  #sharing(say: Say): Node[] {
    const { lid, anonRead, owner } = this.list!;
    const template = this.value('share-url') || (page.baseUrl && `${page.baseUrl}/shared/{lid}?pid={pid}`);
    if (!owner.isMe || !template) return [];
    const values = { lid, pid: page.pid };
    const filled = template.replace(/\{(lid|pid)\}/g, (_, key: 'lid') => encodeURIComponent(values[key]));
    const url = new URL(filled, document.baseURI).href;
    if (!anonRead) return [this.button('share', say('share'), '', () => this.#share(true, url))];
    const select = ({ target }: Event): void => (target as HTMLInputElement).select();
    return [
      h('input', { id: 'link', readonly: true, value: url, 'aria-label': say('link'), onfocus: select }),
      h('span', { role: 'status' }, this.#isCopied && say('copied')),
      this.button('unshare', say('unshare'), '', () => this.#share(false, url)),
    ];
  }

  async #share(isShared: boolean, url: string): Promise<void> {
    const { lid } = this.list!;
    // A browser may forbid copying; the link is shown in any case.
    this.#isCopied =
      isShared &&
      !!(await navigator.clipboard?.writeText(url).then(
        () => true,
        () => false,
      ));
    await this.write(async (client) => {
      const { anonRead } = await (isShared ? client.markListPublic(lid) : client.markListPrivate(lid));
      this.list = { ...this.list!, anonRead };
    });
    this.root.getElementById('link')?.focus();
    if (this.list!.anonRead) this.emit('shared', { lid, url });
  }

  async #saveForLater(item: SavedItem): Promise<void> {
    const { lid } = this.list!;
    const isDone = await this.write(async (client) => {
      const { list } = await client.SaveForLater.init();
      await client.moveItems(lid, list.lid, [item.epi]);
      await refresh();
    }, item);
    if (isDone) this.emit('saved-for-later', { item });
  }
}

/** The shopper's save-for-later list. */
class SaveForLater extends Items {
  static observedAttributes = ['lang'];
  /** Returns whether the product was saved for later. */
  async add(item: ProductInput): Promise<boolean> {
    const isDone = await this.write(async (client) => {
      await client.SaveForLater.init();
      await client.SaveForLater.add(item);
      await refresh();
    });
    if (isDone) this.emit('saved-for-later', { item });
    return isDone;
  }

  protected wanted() {
    const list = page.lists?.find(({ lty }) => lty === 'sfl');
    return page.lists && { lid: list?.lid ?? '', version: list?.version ?? 0 };
  }

  protected buttons(item: SavedItem, say: Say): Node[] {
    if (item.availability === 'OUT_OF_STOCK') return [];
    return [this.button(`move:${item.epi}`, say('move'), item.dt, () => this.#move(item))];
  }

  /** The page adds it to its cart, unless another device was faster; if it prevents the event, the item is back. */
  async #move(item: SavedItem): Promise<void> {
    const { lid } = this.list!;
    const { epi } = item;
    await this.write(async (client) => {
      const { itemsmoved } = await client.SaveForLater.moveToCart(lid, { epi });
      if (itemsmoved.length > 0 && !this.emit('add-to-cart', { item })) await client.restoreItems(lid, [epi]);
      await refresh();
    }, item);
  }
}

define('list', WishgateList);
define('save-for-later', SaveForLater);

// A page need not know where the element is.
document.addEventListener('wishgate-save-for-later', (event) => {
  const { item } = (event as CustomEvent<{ item: ProductInput }>).detail;
  void document.querySelector('wishgate-save-for-later')?.add(item);
});
