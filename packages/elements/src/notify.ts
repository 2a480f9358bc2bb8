import { WishgateElement, define, h, sheetOf } from './element.ts';
import { page } from './session.ts';
import type { Say } from './text.ts';

const SHEET = sheetOf(`form{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end}
label{display:grid;gap:.25rem;flex:1 1 12rem}
[aria-invalid=true]{outline:2px solid}
form p{flex-basis:100%}
p:empty{display:none}`);

const INPUT = {
  part: 'input',
  type: 'email',
  autocomplete: 'email',
  required: true,
  'aria-describedby': 'error',
};

/** Asks for an alert: by one tap for an account, by an email address for a guest. */
class Notify extends WishgateElement {
  static observedAttributes = ['epi', 'title', 'lang', 'open'];
  #input = h('input', INPUT) as HTMLInputElement;
  #name = h('span');
  #label = h('label', { part: 'label' }, this.#name, this.#input);
  #button = h('button', { part: 'button' });
  #error = h('p', { part: 'error', id: 'error', role: 'alert' });
  #status = h('p', { part: 'status', role: 'status', tabindex: -1 });
  #form = h(
    'form',
    { part: 'form', novalidate: true, onsubmit: (event: Event) => this.#submit(event) },
    ...[this.#label, this.#button, this.#error],
  );
  #isAsking = false;
  #isBusy = false;
  /** What was subscribed to, and what is to be said of it. */
  #done: { epi: string; key: 'confirm' | 'notified' } | null = null;

  constructor() {
    super(SHEET);
    this.root.append(this.#form, this.#status);
  }

  protected draw(say: Say): void {
    const done = this.#done?.epi === this.value('epi') && this.#done;
    this.#label.hidden = !this.#isAsking && !this.hasAttribute('open');
    this.#name.textContent = say('email');
    this.#button.textContent = say('notify');
    this.#button.ariaLabel = this.title && `${say('notify')}: ${this.title}`;
    this.#form.hidden = !!done;
    this.#status.textContent = done ? say(done.key) : '';
  }

  #fail(text: string): void {
    this.#error.textContent = text;
    this.#input.ariaInvalid = String(!!text);
    if (text) this.#input.focus();
  }

  async #submit(event: Event): Promise<void> {
    event.preventDefault();
    const { client } = page;
    if (!client || this.#isBusy) return;
    this.#isBusy = true;
    this.#fail('');
    try {
      const isOwn = this.#label.hidden && (await client.isLoggedIn());
      this.#isAsking ||= !isOwn;
      this.update();
      if (isOwn || this.#input.checkValidity()) await this.#subscribe(isOwn);
      else if (this.#input.value) this.#fail(this.say!('invalid'));
      else this.#input.focus();
    } catch (error) {
      const text = this.report(error);
      this.#fail(text && (error as { status?: number }).status === 400 ? this.say!('invalid') : text);
    } finally {
      this.#isBusy = false;
    }
  }

  async #subscribe(isOwn: boolean): Promise<void> {
    const product = this.product();
    const topics = [this.value('topic') || 'backinstock'];
    const alert = { products: [product], topics, language: this.say!.locale };
    const mediumvalue = isOwn ? undefined : this.#input.value;
    const { confirmed } = await page.client!.subscribeForProductAlert({ ...alert, mediumvalue });
    this.#done = { epi: product.epi, key: confirmed ? 'notified' : 'confirm' };
    this.update();
    this.#status.focus();
    this.emit('subscribed', { epi: product.epi, topics, confirmed });
  }
}

define('notify', Notify);
