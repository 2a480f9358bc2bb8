type Values = Record<string, unknown>;

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

/** Renders a template with sections, `{{escaped}}` and `{{{plain}}}` values. */
function renderTemplateString(template: string, values: Values): string {
  return template
    .replace(
      /\{\{([#^])\s*([\w.-]+)\s*\}\}([\s\S]*?)\{\{\/\s*\2\s*\}\}/g,
      (_all, kind, name: string, inner: string) => {
        const value = values[name];
        const entries = (Array.isArray(value) ? value : value ? [value] : []) as unknown[];
        if (kind === '^') return entries.length === 0 ? renderTemplateString(inner, values) : '';
        return entries
          .map((entry) => renderTemplateString(inner, { ...values, ...(entry as Values), '.': entry }))
          .join('');
      },
    )
    .replace(/\{\{(\{|&)?\s*([\w.-]+)\s*\}?\}\}/g, (_all, plain: string | undefined, name: string) => {
      const value = values[name] as string | null;
      const text = value == null ? '' : String(value);
      return plain ? text : escape(text);
    });
}

function symbolOf(currency: string): string {
  const parts = currency
    ? new Intl.NumberFormat(undefined, { style: 'currency', currency }).formatToParts(0)
    : [];
  return parts.find(({ type }) => type === 'currency')?.value ?? '';
}

const { log, warn, error } = console;

/** `money` has the currency that the page may change. */
export const createUtils = (money: { currency: string }) => ({
  ...{ log, warn, error },
  addClass: (element: Element, name: string) => element.classList.add(name),
  removeClass: (element: Element, name: string) => element.classList.remove(name),
  hasClass: (element: Element, name: string) => element.classList.contains(name),
  getEncodedAsObject: (query: string): Record<string, string> =>
    Object.fromEntries(new URLSearchParams(query.slice(query.indexOf('?') + 1))),
  debounce: (run: (...given: unknown[]) => void, waitMs: number) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    return (...given: unknown[]) => {
      clearTimeout(timer);
      timer = setTimeout(() => run(...given), waitMs);
    };
  },
  onDOMReady: (run: () => void): void =>
    document.readyState === 'loading' ? document.addEventListener('DOMContentLoaded', run) : run(),
  ajaxGET: (url: string, run: (response: { status: number; responseText: string }) => void): void => {
    const request = new XMLHttpRequest();
    request.onloadend = () => run(request);
    request.open('GET', url);
    request.send();
  },
  renderTemplateString,
  formatProductPrice: (product: Values): Values =>
    Object.assign(product, {
      cu: symbolOf(money.currency),
      pr: product['pr'] == null ? '' : Number(product['pr']).toFixed(2),
    }),
});
