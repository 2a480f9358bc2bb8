type Request = { path: string; form: Record<string, string>; headers?: Record<string, string> };
type Data = { pid: string; apiKey: string; steps: { requests: Request[]; gives: string[] }[] };
type OutboxMail = { eml: string };

const POLL_MS = 500;
const MAIL_POLLS = 60;

/** What the steps have returned so far. */
const values: Record<string, string> = {};

const fill = (text: string): string => text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);

const filled = (fields: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fill(value)]));

function setValue(name: string, value: string): void {
  values[name] = value;
  for (const place of document.querySelectorAll(`[data-value=${name}]`)) place.textContent = value;
}

async function send(
  { pid, apiKey }: Data,
  { path, form, headers }: Request,
): Promise<Record<string, unknown>> {
  const isStore = path.startsWith('/storeadmin/');
  const response = await fetch(isStore ? path : `${path}?${new URLSearchParams({ pid }).toString()}`, {
    method: 'POST',
    headers: { ...filled(headers), ...(isStore && { authorization: `Basic ${btoa(`${pid}:${apiKey}`)}` }) },
    credentials: 'omit',
    body: new URLSearchParams(filled(form)),
  });
  const body = (await response.json()) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${response.status}: ${String(body['msg'])}`);
  return body;
}

function codeBlock(text: string): HTMLElement {
  const block = document.createElement('pre');
  block.tabIndex = 0;
  block.textContent = text;
  return block;
}

/** Waits for the email to this page's shopper; the service sends it shortly after the restock. */
async function findEmail(): Promise<string> {
  for (let poll = 0; poll < MAIL_POLLS; poll += 1) {
    const outbox = (await (await fetch('/demo/api/outbox')).json()) as OutboxMail[];
    const email = outbox.find(({ eml }) => eml.includes(`To: ${values['email']}`));
    if (email) return email.eml;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
  throw new Error('No email arrived within 30 seconds. Open the dashboard and look at the alert.');
}

async function showEmail(): Promise<HTMLElement[]> {
  // Loaded here, because it is five times as large as the page.
  const [{ default: PostalMime }, eml] = await Promise.all([import('postal-mime'), findEmail()]);
  const { subject = '', html = '' } = await PostalMime.parse(eml);
  const about = document.createElement('p');
  about.textContent = `To ${values['email']}: ${subject}`;
  const frame = document.createElement('iframe');
  frame.title = 'The email';
  frame.setAttribute('sandbox', '');
  frame.srcdoc = html;
  return [about, frame];
}

async function runRequests(data: Data, { requests, gives }: Data['steps'][number]): Promise<HTMLElement[]> {
  const shown: HTMLElement[] = [];
  for (const request of requests) {
    const body = await send(data, request);
    for (const name of gives) setValue(name, String(body[name]));
    shown.push(codeBlock(JSON.stringify(body, null, 2)));
  }
  return shown;
}

/** Lets the reader run the steps one after another. The first one starts again with a new shopper. */
export function startQuickStart(data: Data): void {
  const steps = [...document.querySelectorAll('.steps li')].map((item) => ({
    button: item.querySelector<HTMLButtonElement>('.run')!,
    label: item.querySelector('.run')!.textContent,
    result: item.querySelector('.result')!,
  }));
  steps.forEach(({ button, result }, index) => {
    const step = data.steps[index];
    const run = async (): Promise<void> => {
      if (index === 0) {
        for (const later of steps.slice(1)) {
          later.button.disabled = true;
          later.button.textContent = later.label;
          later.result.replaceChildren();
        }
        // A shopper gets one alert in a while, so each round has its own.
        setValue('email', `ada+${Date.now().toString(36)}@example.com`);
      }
      button.disabled = true;
      try {
        result.replaceChildren(...(step ? await runRequests(data, step) : await showEmail()));
        const next = steps[index + 1]?.button;
        if (next) next.disabled = false;
        next?.focus();
        button.disabled = index > 0;
        button.textContent = index > 0 ? 'Done' : 'Start again';
      } catch (error) {
        result.textContent = error instanceof Error ? error.message : String(error);
        button.disabled = false;
      }
    };
    button.onclick = () => void run();
    button.disabled = index > 0;
  });
}
