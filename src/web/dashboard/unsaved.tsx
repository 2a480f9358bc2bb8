import { useEffect, useLayoutEffect } from 'preact/hooks';
import { Dialog } from './parts/dialog.tsx';
import { Button } from './parts/layout.tsx';
import { useDialog } from './session.ts';
import { t } from './text.ts';

/** The part of the Navigation API that the guard uses; TypeScript's DOM library has no types for it yet. */
type Navigation = {
  addEventListener: (type: 'navigate', listener: (event: NavigateEvent) => void) => void;
  traverseTo: (key: string) => unknown;
};
type NavigateEvent = Event & {
  navigationType: string;
  destination: { url: string; key: string; sameDocument: boolean };
};

const { navigation } = window as unknown as { navigation?: Navigation };

const unsaved = new Set<object>();
let ask = (go: () => void): void => go();

/** Makes the page ask before it is left while a form has unsaved changes. */
export function useUnsaved(isChanged: boolean): void {
  useLayoutEffect(() => {
    if (!isChanged) return;
    const form = {};
    unsaved.add(form);
    return () => void unsaved.delete(form);
  }, [isChanged]);
}

export const forgetUnsaved = (): void => unsaved.clear();

/** Asks before `go` would discard unsaved changes; without changes it runs at once. */
export function leaveWith(go: () => void): void {
  if (unsaved.size === 0) go();
  else ask(go);
}

/** Sections of the settings have their own URLs, but are on one page. */
const pathOf = (url: string): string =>
  new URL(url).hash.replace(/^#\/?|\?.*$/g, '').replace(/^settings\/.*/, 'settings');

navigation?.addEventListener('navigate', (event) => {
  const { navigationType, destination } = event;
  const isLeft = destination.sameDocument && pathOf(destination.url) !== pathOf(location.href);
  if (!isLeft || !event.cancelable || unsaved.size === 0) return;
  event.preventDefault();
  ask(() => {
    if (navigationType === 'traverse') navigation.traverseTo(destination.key);
    else location.href = destination.url;
  });
});
addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/** Rendered once per page; asks before a link, Back or signing out discards unsaved changes. */
export function UnsavedGuard() {
  const { open, close } = useDialog();
  useEffect(() => {
    ask = (go) => {
      const leave = (): void => {
        forgetUnsaved();
        close();
        go();
      };
      open(
        <Dialog title={t('unsaved.title')}>
          <p>{t('unsaved.text')}</p>
          <footer class="buttons">
            <Button text={t('unsaved.leave')} look="danger outline" onClick={leave} />
            <Button text={t('unsaved.stay')} look="" onClick={close} />
          </footer>
        </Dialog>,
      );
    };
    return forgetUnsaved;
  }, [open, close]);
  return null;
}
