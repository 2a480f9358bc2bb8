import { follow } from './session.ts';
import { speak } from './text.ts';
import type { Say } from './text.ts';

type Value = string | number | boolean | null | undefined | ((event: Event) => unknown);
type Child = Node | string | false | null | undefined;

/** Makes an element; functions are listeners, and their attributes begin with `on`. */
export function h(name: string, attributes: Record<string, Value> = {}, ...children: Child[]): HTMLElement {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else if (value != null && value !== false) element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children.filter((child): child is Node | string => !!child));
  return element;
}

const CSS = `:host{display:block}
:host([hidden]),[hidden]{display:none!important}
*{box-sizing:border-box;margin:0}
button,input,select{font:inherit;color:inherit;background:none;border:1px solid;border-radius:var(--wishgate-radius,.5rem);min-block-size:2.5rem;padding:.25rem .75rem}
option{color:CanvasText;background:Canvas}
button{cursor:pointer}
:focus-visible{outline:3px solid var(--wishgate-focus-color,Highlight);outline-offset:2px}`;

/** Constructed, because a page's policy may forbid inline styles. */
export function sheetOf(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}

let shared: CSSStyleSheet | null = null;

/** A server has no elements, and may load this file. */
const Base = globalThis.HTMLElement ?? Object;

/** Draws itself again after each change of lists, language or attributes, while it is on the page. */
export abstract class WishgateElement extends Base {
  protected readonly root: ShadowRoot = this.attachShadow({ mode: 'open' });
  protected say: Say | null = null;
  #unfollow: (() => void) | null = null;

  constructor(sheet: CSSStyleSheet) {
    super();
    this.root.adoptedStyleSheets = [(shared ??= sheetOf(CSS)), sheet];
  }

  connectedCallback(): void {
    this.#unfollow = follow(() => this.update());
    this.update();
  }

  disconnectedCallback(): void {
    this.#unfollow?.();
    this.#unfollow = null;
  }

  attributeChangedCallback(): void {
    this.update();
  }

  protected abstract draw(say: Say): void;

  protected update(): void {
    this.say = this.#unfollow && speak(this);
    if (this.say) this.draw(this.say);
  }

  protected value(name: string): string {
    return this.getAttribute(name)?.trim() ?? '';
  }

  /** Returns false if the page prevented what the event announces. */
  protected emit(name: string, detail: object): boolean {
    const options = { detail, bubbles: true, composed: true, cancelable: true };
    return this.dispatchEvent(new CustomEvent(`wishgate-${name}`, options));
  }

  /** Announces an error and returns what to show of it: nothing, if the page prevents that. */
  protected report(error: unknown): string {
    const { status } = error as { status?: number };
    if (!this.emit('error', { error }) || !this.say) return '';
    return this.say(status === 429 ? 'busy' : status === 404 ? 'missing' : 'failed');
  }

  /** The variant that the attributes describe, in the form of the client. */
  protected product() {
    const [epi, empi, du] = ['epi', 'empi', 'du'].map((name) => this.value(name)) as [string, string, string];
    return { epi, empi: empi || epi, du: du || location.origin + location.pathname };
  }
}

export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(`wishgate-${name}`)) customElements.define(`wishgate-${name}`, element);
}
