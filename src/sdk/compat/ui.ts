export const MESSAGE_MS = 4_000;

/** The messages `browser.*` of src/messages/shopper by language; tools/bundle.mjs fills them in. */
declare const BROWSER_TEXTS: Record<string, Record<'email' | 'notify', string>>;

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
function show(kind: 'success' | 'error', given: string | { message?: string } | undefined): void {
  const note = document.createElement('div');
  note.className = `wishgate-notification wishgate-notification-${kind}`;
  note.setAttribute('role', kind === 'error' ? 'alert' : 'status');
  note.style.cssText =
    'position:fixed;bottom:1rem;left:50%;transform:translateX(-50%);padding:.75rem 1.25rem;border-radius:.5rem;background:#222;color:#fff;z-index:2147483647';
  note.textContent = wordsOf((typeof given === 'object' ? given.message : given) ?? '');
  document.body.append(note);
  setTimeout(() => note.remove(), MESSAGE_MS);
}

const notifications = {
  showSuccessNotification: (given?: { message?: string }) => show('success', given),
  showErrorNotification: (given?: { message?: string }) => show('error', given),
};

export const ui = { ...notifications, uiRef: notifications };

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
    if (!dialog) return;
    dialog.className = 'wishgate-dialog';
    dialog.onclose = () => finish(null);
    document.body.append(dialog);
    dialog.showModal();
  });
}
