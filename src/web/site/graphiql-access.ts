/**
 * Fixes GraphiQL's accessibility after each render: unnamed text areas, responses that the keyboard cannot scroll, history
 * entries named by their action, and tabs that contain a button.
 */
export function repairAccessibility(root: HTMLElement): void {
  const change = (): void => {
    for (const area of root.querySelectorAll('.CodeMirror textarea:not([aria-label])'))
      area.ariaLabel = area.closest('section')?.ariaLabel ?? 'Editor';
    for (const scroller of root.querySelectorAll<HTMLElement>('.CodeMirror-scroll[tabindex="-1"]'))
      scroller.tabIndex = 0;
    for (const entry of root.querySelectorAll('.graphiql-history-item-label'))
      entry.removeAttribute('aria-label');
    root.querySelector('.graphiql-tabs[role]')?.removeAttribute('role');
    root.querySelector('#graphiql-session[role]')?.removeAttribute('role');
    for (const tab of root.querySelectorAll('.graphiql-tab')) {
      tab.removeAttribute('role');
      if (!tab.hasAttribute('aria-selected')) continue;
      const name = tab.querySelector('.graphiql-tab-button')!;
      name.ariaCurrent = String(tab.ariaSelected === 'true');
      tab.removeAttribute('aria-selected');
    }
  };
  new MutationObserver(change).observe(root, {
    childList: true,
    subtree: true,
    attributeFilter: ['aria-selected'],
  });
  change();
}
