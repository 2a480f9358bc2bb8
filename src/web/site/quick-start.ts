import { NO_CREDENTIALS, callApi } from './docs/demo.ts';
import { json } from './docs/request.ts';
import { fillFrame } from './email-frame.ts';

/** `form` has placeholders such as `{lid}` for values that an earlier step returned; `gives` names those that this one returns. */
type Step = { path: string; form: string; gives: string };
type Data = { pid: string; apiKey: string; steps: Step[] };

const POLL_MS = 500;
const MAX_POLLS = 60;

/** Values that the steps use. A shopper gets one alert in a while, so each visit has its own. */
const values: Record<string, string> = { email: `ada+${Date.now().toString(36)}@example.com` };

function showValues(): void {
  for (const place of document.querySelectorAll<HTMLElement>('[data-value]'))
    place.textContent = values[place.dataset['value']!] ?? place.textContent;
}

async function send({ pid, apiKey }: Data, { path, form, gives }: Step): Promise<Node[]> {
  const pairs = form.split('&').map((field) => {
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(field) ?? [];
    return [name, value.replace(/^\{(\w+)\}$/, (_whole, known: string) => values[known]!)];
  });
  const fields = Object.fromEntries(pairs) as Record<string, string>;
  const body = await callApi({ ...NO_CREDENTIALS, pid, apiKey }, path, fields);
  for (const name of gives.split(' ')) if (name) values[name] = String(body[name]);
  showValues();
  const block = document.createElement('pre');
  block.tabIndex = 0;
  block.textContent = json(body);
  return [block];
}

/** Waits for the email to this visit's shopper; the service sends it shortly after the restock. */
async function findEmail(): Promise<string> {
  for (let poll = 0; poll < MAX_POLLS; poll += 1) {
    const outbox = (await (await fetch('/demo/api/outbox')).json()) as { eml: string }[];
    const email = outbox.find(({ eml }) => eml.includes(`To: ${values['email']}`));
    if (email) return email.eml;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  throw new Error('No email arrived within 30 seconds. Look at the alert in the dashboard.');
}

async function showEmail(): Promise<Node[]> {
  // Loaded here, because it is larger than the page.
  const [{ default: PostalMime }, eml] = await Promise.all([import('postal-mime'), findEmail()]);
  const { subject = '', html = '' } = await PostalMime.parse(eml);
  const about = document.createElement('p');
  about.textContent = `To ${values['email']}: ${subject}`;
  const frame = document.createElement('iframe');
  frame.title = 'The email';
  fillFrame(frame, html);
  return [about, frame];
}

/** Lets the reader run the steps one after another. */
export function startQuickStart(data: Data): void {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('.run')];
  const run = async (button: HTMLButtonElement, step: Step | undefined): Promise<void> => {
    const result = button.nextElementSibling!;
    button.disabled = true;
    try {
      result.replaceChildren(...(step ? await send(data, step) : await showEmail()));
      button.textContent = 'Done';
      const next = buttons[buttons.indexOf(button) + 1];
      // The email is below the last button, often out of sight.
      if (!next) return button.scrollIntoView();
      next.disabled = false;
      next.focus();
    } catch (error) {
      result.textContent = error instanceof Error ? error.message : String(error);
      button.disabled = false;
    }
  };
  buttons.forEach((button, index) => (button.onclick = () => void run(button, data.steps[index])));
  buttons[0]!.disabled = false;
  showValues();
}
