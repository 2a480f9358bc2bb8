import { WishgateElement, define, h, sheetOf } from './element.ts';
import { isSaved, page, setSaved, wishlists } from './session.ts';
import type { Say } from './text.ts';

const HEART_SHEET =
  sheetOf(`:host{display:inline-block;position:relative;inline-size:var(--wishgate-size,2.75rem);block-size:var(--wishgate-size,2.75rem);min-inline-size:24px;min-block-size:24px;vertical-align:middle}
button{inline-size:100%;block-size:100%;min-block-size:0;padding:20%;border:0;border-radius:50%;display:grid}
svg{fill:none;stroke:currentcolor;stroke-width:1.8;stroke-linejoin:round}
[aria-pressed=true] svg{fill:var(--wishgate-color,#d6336c);stroke:var(--wishgate-color,#d6336c)}
@media(prefers-reduced-motion:no-preference){svg{transition:transform .15s}button:active svg{transform:scale(.85)}}
@media(forced-colors:active){[aria-pressed=true] svg{fill:Highlight;stroke:Highlight}}
output{position:absolute;inset-block-start:100%;inset-inline-end:0;z-index:9;inline-size:max-content;max-inline-size:14rem;padding:.4rem .6rem;border:1px solid;background:Canvas;color:CanvasText}
output:empty{display:none}`);

const COUNT_SHEET = sheetOf(`:host{display:inline-block;position:relative;min-inline-size:1ch}
[aria-live]{position:absolute;inline-size:1px;block-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}`);

const PATH = 'M12 20.5S3.5 15.4 3.5 9.4A4.7 4.7 0 0 1 12 6.7a4.7 4.7 0 0 1 8.5 2.7c0 6-8.5 11.1-8.5 11.1z';
const MESSAGE_MS = 5_000;

/** A button that saves a variant to a list of the shopper, and removes it from all wishlists. */
class Heart extends WishgateElement {
  static observedAttributes = ['epi', 'title', 'lang'];
  #button = h('button', { part: 'button', type: 'button', onclick: () => this.toggle() });
  #message = h('output', { part: 'message' });

  constructor() {
    super(HEART_SHEET);
    this.#button.innerHTML = `<slot name="icon"><svg part="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${PATH}"/></svg></slot>`;
    this.root.append(this.#button, this.#message);
  }

  get saved(): boolean {
    return isSaved(this.value('epi'));
  }

  /** Saves or removes the variant, as a click does. */
  async toggle(): Promise<void> {
    const [dt, iu, price] = ['title', 'image', 'price'].map((name) => this.value(name));
    const item = {
      ...this.product(),
      ...(dt && { dt }),
      ...(iu && { iu }),
      ...(price && { pr: Number(price) }),
    };
    const wish = !this.saved;
    if (!item.epi || !this.emit(wish ? 'save' : 'remove', { item })) return;
    this.#message.textContent = '';
    try {
      await setSaved(item, wish, this.value('list'), (name, detail) => this.emit(name, detail));
    } catch (error) {
      this.#message.textContent = this.report(error);
      setTimeout(() => (this.#message.textContent = ''), MESSAGE_MS);
    }
  }

  protected draw(say: Say): void {
    const { saved } = this;
    this.#button.ariaPressed = String(saved);
    this.#button.ariaLabel = say('save', { title: this.title || say('item') });
  }
}

/** The number of the shopper's saved items. */
class Count extends WishgateElement {
  static observedAttributes = ['hide-empty', 'lang'];
  #number = h('span', { part: 'number', 'aria-hidden': 'true' });
  #status = h('span', { 'aria-live': 'polite' });

  constructor() {
    super(COUNT_SHEET);
    this.root.append(this.#number, this.#status);
  }

  protected draw(say: Say): void {
    const count = wishlists().reduce((sum, { cnt }) => sum + cnt, 0);
    this.hidden = !count && this.hasAttribute('hide-empty');
    this.#number.textContent = page.lists && count.toLocaleString(say.locale);
    this.#status.textContent = page.lists && say('count', { count });
  }
}

define('heart', Heart);
define('count', Count);
