/** Names of the editors, by the class of what holds them: the library leaves its text areas nameless. */
const NAMES = {
  'graphiql-query-editor': 'Query',
  'result-window': 'Answer',
} as const;

/** Gives what the library leaves nameless a name for who cannot see it, whenever it is drawn anew. */
export function nameEditors(root: HTMLElement): void {
  const name = (): void => {
    for (const area of root.querySelectorAll('.CodeMirror textarea:not([aria-label])')) {
      const [, label] = Object.entries(NAMES).find(([holder]) => area.closest(`.${holder}`)) ?? [];
      const section = area.closest('[aria-label]')?.getAttribute('aria-label');
      area.setAttribute('aria-label', label ?? section ?? 'Editor');
    }
  };
  new MutationObserver(name).observe(root, { childList: true, subtree: true });
  name();
}
