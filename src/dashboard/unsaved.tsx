import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Dialog } from './parts/dialog.tsx';

/** The forms with changes that are not saved. */
const unsaved = new Set<object>();

/** Says that a form holds changes: leaving asks first. */
export function useUnsaved(isChanged: boolean): void {
  useLayoutEffect(() => {
    if (!isChanged) return;
    const form = {};
    unsaved.add(form);
    return () => void unsaved.delete(form);
  }, [isChanged]);
}

/** For what was decided already, such as deleting the very thing that was edited. */
export const forgetUnsaved = (): void => unsaved.clear();

/** A page whose sections have addresses of their own stays open from one to the other. */
const SECTIONED = new Set(['settings']);

function isLeft(oldUrl: string, newUrl: string): boolean {
  const [before, after] = [oldUrl, newUrl].map((url) => new URL(url).hash.replace(/^#\/?|\?.*$/g, ''));
  const page = before!.split('/')[0]!;
  return before !== after && !(SECTIONED.has(page) && after!.split('/')[0] === page);
}

type Numbered = { at?: number } | null;

/** Where in the history the page stands. Every entry is numbered, so that a step that was not wanted can be taken back, whichever way it went. */
let here = (history.state as Numbered)?.at ?? 0;
/** Whether the next change of the address is our own way back. */
let isReturning = false;
let ask: ((go: () => void) => void) | null = null;

function numberEntry(at: number): number {
  history.replaceState({ ...(history.state as Numbered), at }, '');
  return at;
}

function follow(event: HashChangeEvent): void {
  if (isReturning) {
    isReturning = false;
    return event.stopImmediatePropagation();
  }
  const there = (history.state as Numbered)?.at ?? numberEntry(here + 1);
  const steps = there - here;
  if (ask === null || unsaved.size === 0 || steps === 0 || !isLeft(event.oldURL, event.newURL)) {
    here = there;
    return;
  }
  // The pages must not hear of it: they would show the other one and lose what was typed.
  event.stopImmediatePropagation();
  isReturning = true;
  history.go(-steps);
  ask(() => history.go(steps));
}

numberEntry(here);
// Capturing, so that it comes before every page's own listener.
addEventListener('hashchange', follow, { capture: true });
addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/** Asks before `go` would lose what was typed; without changes it goes at once. */
export function leaveWith(go: () => void): void {
  if (ask === null || unsaved.size === 0) go();
  else ask(go);
}

/** Stands once on the page and asks before work is lost: by a link, by Back, or by signing out. */
export function UnsavedGuard() {
  const [leave, setLeave] = useState<{ go: () => void } | null>(null);
  useEffect(() => {
    ask = (go) => setLeave({ go });
    return () => {
      ask = null;
      forgetUnsaved();
    };
  }, []);
  if (leave === null) return null;
  const stay = (): void => setLeave(null);
  return (
    <Dialog title="Leave without saving?" onClose={stay}>
      <p>What you changed on this page is not saved and would be lost.</p>
      <footer class="buttons">
        <button
          type="button"
          class="danger outline"
          onClick={() => {
            forgetUnsaved();
            stay();
            leave.go();
          }}
        >
          Leave without saving
        </button>
        <button type="button" onClick={stay}>
          Stay here
        </button>
      </footer>
    </Dialog>
  );
}
