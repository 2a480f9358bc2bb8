import type { Item, Wishgate } from '../../client/src/wishgate.ts';
import { ITEMS } from '../../../src/sdk/documents.ts';
import { WishgateElement, h, sheetOf } from './element.ts';
import { patch, started } from './session.ts';
import type { Say } from './text.ts';
import type { Money, SavedItem, SavedList } from './types.ts';

const SHEET = sheetOf(`ul{list-style:none;padding:0}
li{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem;padding-block:.75rem;border-block-end:1px solid var(--wishgate-border-color,#8886)}
[part=image]{inline-size:var(--wishgate-image-size,5rem);block-size:var(--wishgate-image-size,5rem);object-fit:cover;border-radius:var(--wishgate-radius,.5rem);background:#8882}
.text{flex:1 1 9rem;min-inline-size:0;overflow-wrap:anywhere}
a{color:inherit;font-weight:600;display:inline-block;min-block-size:24px}
[part=head]{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem}
[part=head]>:first-child{margin-inline-end:auto}
[part=note]{font-weight:600;color:var(--wishgate-note-color,inherit)}`);

type Page = { edges: { node: SavedItem }[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
type Removed = { item: SavedItem; at: number };
type Contents = { list: (SavedList & { items: Page }) | null };

function money(say: Say, { amount, currencyCode: currency }: Money): string {
  const style = currency ? ({ style: 'currency', currency } as const) : { minimumFractionDigits: 2 };
  return Number(amount).toLocaleString(say.locale, style);
}

/** Only http(s) and relative addresses: a list may be a stranger's. */
const link = (url: string | null): string | null =>
  url && /^(https?:|[^:/?#]*([/?#]|$))/i.test(url) ? url : null;

/** The items of a list, read again when the list has another version. */
export abstract class Items extends WishgateElement {
  protected list: SavedList | null = null;
  #items: SavedItem[] = [];
  #hasMore = false;
  #removed: Removed | null = null;
  #failed = '';
  #known = '';
  #count = 0;
  #writes = 0;
  #active = 0;
  #drawn = '';

  constructor() {
    super(SHEET);
  }

  /** Id and version of the list to show; an empty id for no list, null while it is unknown. */
  protected abstract wanted(): { lid: string; version: number } | null;

  /** What can be done with an item besides removing it. */
  protected abstract buttons(item: SavedItem, say: Say): Node[];

  /** What is above the items. */
  protected head(_say: Say): Node[] {
    return [];
  }

  /** A button that keeps the focus by its id; `title` distinguishes it from others with its text. */
  protected button(id: string, text: string, title: string | null, run: () => unknown): HTMLElement {
    const label = title && `${text}: ${title}`;
    const part = `button ${id.split(':')[0]}`;
    return h('button', { id, type: 'button', part, 'aria-label': label, onclick: run }, text);
  }

  protected draw(say: Say): void {
    const wanted = this.wanted();
    if (wanted && wanted.lid !== this.#known.split(' ')[0])
      [this.list, this.#items, this.#removed, this.#count] = [null, [], null, 0];
    const known = wanted && `${wanted.lid} ${wanted.version}`;
    if (known && known !== this.#known && !this.#active) {
      this.#known = known;
      if (wanted.lid) void this.#read();
    }
    const isKnown = wanted && (!wanted.lid || this.list || this.#failed);
    this.ariaBusy = String(!isKnown);
    if (isKnown) this.#show(say);
  }

  /** Writes, with an item taken out of the list; if that fails, the item is back, and the element says so. */
  protected async write(run: (client: Wishgate) => Promise<unknown>, taken?: SavedItem): Promise<boolean> {
    const before = this.#items;
    if (taken) this.#items = before.filter(({ epi }) => epi !== taken.epi);
    this.#failed = '';
    this.#writes += 1;
    this.#active += 1;
    this.update();
    try {
      await run(await started);
      return true;
    } catch (error) {
      if (taken) [this.#items, this.#removed] = [before, null];
      this.#failed = this.report(error);
      return false;
    } finally {
      this.#active -= 1;
      this.update();
    }
  }

  /** The shopper can undo it. */
  async #remove(item: SavedItem): Promise<void> {
    const { lid } = this.list!;
    const { epi } = item;
    this.#removed = { item, at: this.#items.findIndex((other) => other.epi === epi) };
    const isDone = this.write((client) => client.deleteFromList(lid, { epi }), item);
    this.#focus('undo');
    if (!(await isDone)) return;
    patch(lid, epi, null);
    this.emit('removed', { epi, lids: [lid] });
  }

  async #undo({ item, at }: Removed): Promise<void> {
    const { lid } = this.list!;
    this.#removed = null;
    this.#items = this.#items.toSpliced(at, 0, item);
    this.update();
    this.#focus(`remove:${item.epi}`);
    if (await this.write((client) => client.restoreItems(lid, [item.epi])))
      return patch(lid, item.epi, item as unknown as Item);
    this.#removed = { item, at };
    this.#items = this.#items.filter(({ epi }) => epi !== item.epi);
    this.update();
  }

  #focus(id: string): void {
    this.root.getElementById(id)?.focus();
  }

  /** Reads as many items as are to be shown, 100 with a call. */
  async #read(more = 0): Promise<void> {
    const size = Number(this.value('page-size')) || 20;
    this.#count = Math.max(size, this.#count + more * size);
    const known = this.#known;
    const writes = this.#writes;
    const lid = known.split(' ')[0]!;
    const items: SavedItem[] = [];
    let after: string | null = null;
    let list: Contents['list'];
    try {
      do {
        const first = Math.min(100, this.#count - items.length);
        ({ list } = await (await started).graphql<Contents>(ITEMS, { lid, first, after }));
        if (!list) throw Object.assign(new Error('List not found'), { status: 404 });
        items.push(...list.items.edges.map(({ node }) => node));
        after = list.items.pageInfo.hasNextPage ? list.items.pageInfo.endCursor : null;
      } while (after && items.length < this.#count);
      if (known !== this.#known) return;
      // After a write that began meanwhile, it is read again.
      if (writes !== this.#writes) this.#known = `${lid} `;
      else {
        [this.list, this.#items, this.#hasMore, this.#failed] = [list, items, after !== null, ''];
        if (items.some(({ epi }) => epi === this.#removed?.item.epi)) this.#removed = null;
      }
      this.update();
    } catch (error) {
      this.#failed = this.report(error);
      this.update();
      this.#known = `${lid} `;
    }
  }

  /** Draws only what differs: an element that stays keeps the focus. */
  #show(say: Say): void {
    const rows = this.#items.map((item) => this.#row(item, say));
    if (this.#removed) rows.splice(this.#removed.at, 0, this.#undoRow(this.#removed, say));
    const empty = h('slot', { name: 'empty' }, h('p', { part: 'empty' }, say('empty')));
    const box = h(
      'div',
      {},
      ...this.head(say),
      this.#failed && h('p', { part: 'error', role: 'alert' }, this.#failed),
      rows.length > 0 ? h('ul', { part: 'items', role: 'list' }, ...rows) : !this.#failed && empty,
      this.#hasMore && this.button('more', say('more'), '', () => this.#read(1)),
    );
    if (box.innerHTML === this.#drawn) return;
    this.#drawn = box.innerHTML;
    const id = this.root.activeElement?.id;
    this.root.replaceChildren(...box.childNodes);
    if (id) (this.root.getElementById(id) ?? this.root.querySelector('button'))?.focus();
  }

  #row(item: SavedItem, say: Say): HTMLElement {
    const { dt, currentPrice, priceChange, savedPrice, availability, vi, qty } = item;
    const details = [vi, qty > 1 && `× ${qty}`].filter(Boolean).join(' · ');
    const was = priceChange?.direction === 'DOWN' && savedPrice;
    const line = (part: string, text: string | false | null) => text && h('p', { part }, text);
    const [src, href] = [link(item.iu), link(item.uri ?? item.du)];
    return h(
      'li',
      { part: 'item' },
      h(src ? 'img' : 'span', { part: 'image', src, alt: src && '', loading: 'lazy' }),
      h(
        'div',
        { class: 'text' },
        h('a', { part: 'title', href }, dt ?? ''),
        line('details', details),
        line('price', currentPrice && money(say, currentPrice)),
        line('note', was && say('drop', { price: money(say, was) })),
        line('note', availability === 'OUT_OF_STOCK' && say('soldOut')),
      ),
      ...this.buttons(item, say),
      this.list!.owner.isMe && this.button(`remove:${item.epi}`, say('delete'), dt, () => this.#remove(item)),
    );
  }

  #undoRow(removed: Removed, say: Say): HTMLElement {
    const title = removed.item.dt ?? '';
    const text = h('p', { class: 'text', role: 'status' }, say('removed', { title }));
    return h(
      'li',
      { part: 'item' },
      text,
      this.button('undo', say('undo'), title, () => this.#undo(removed)),
    );
  }
}
