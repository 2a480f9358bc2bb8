import type { ElementHandle, Locator } from 'playwright-core';
import { eventually } from './chromium.ts';

type Element = ElementHandle<HTMLElement | SVGElement>;

const EVENTS = ['click', 'input', 'change', 'keydown', 'focus'];

/** What Playwright says of an element that the page has replaced, or of a page that has gone on. */
const IS_GONE = /not attached|not connected|detached|context was destroyed|Unable to adopt/i;

/** Notes whether the element hears of what is done to it. */
const listen = (element: Element) =>
  element.evaluateHandle((node, events) => {
    const heard = { count: 0 };
    for (const name of events) node.addEventListener(name, () => void (heard.count += 1), { capture: true });
    return heard;
  }, EVENTS);

/** Finds an element and acts on it; again when the page has drawn it anew meanwhile, so that it heard nothing. */
export async function act(target: Locator, work: (element: Element) => Promise<unknown>): Promise<void> {
  for (;;) {
    const element: Element = await target.elementHandle();
    try {
      const heard = await listen(element);
      await work(element);
      // Where the page went on to another document, it was heard.
      if (await heard.evaluate(({ count }) => count > 0).catch(() => true)) return;
    } catch (error) {
      if (!IS_GONE.test(String(error))) throw error;
    }
  }
}

export const click = (target: Locator): Promise<void> => act(target, (element) => element.click());

/** Presses a key in an element. */
export const press = (target: Locator, key: string): Promise<void> =>
  act(target, (element) => element.press(key));

/** Types into a field, until the field has it: an update that comes meanwhile may draw the older text. */
export async function fill(field: Locator, text: string): Promise<void> {
  await eventually(async () => {
    if ((await field.inputValue()) !== text) await act(field, (element) => element.fill(text));
    return field.inputValue();
  }, text);
}

/** Types into a field and presses Enter there. */
export const submit = (field: Locator, text: string): Promise<void> =>
  act(field, async (element) => {
    await element.fill(text);
    await element.press('Enter');
  });

/** Ticks a box, or clears it. */
export async function tick(box: Locator, isTicked = true): Promise<void> {
  await eventually(async () => {
    if ((await box.isChecked()) !== isTicked) await act(box, (element) => element.click());
    return box.isChecked();
  }, isTicked);
}

/** Chooses an option by its label or value. */
export async function choose(select: Locator, option: string | { label: string }): Promise<void> {
  await act(select, (element) => element.selectOption(option));
}
