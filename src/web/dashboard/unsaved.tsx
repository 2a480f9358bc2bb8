import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { Dialog } from './parts/dialog.tsx';
import { acceptSteps, stepsGone } from './steps.ts';

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

let ask: ((go: () => void) => void) | null = null;
/** The address of what is shown. */
let shownUrl = location.href;
/** Set while the browser is on our way back: the pages must not hear of either way, for they would show the other page and lose what was typed. */
let isReturning = false;

function follow(event: Event): void {
  if (isReturning) {
    event.stopImmediatePropagation();
    isReturning = !(event.type === 'hashchange' && location.href === shownUrl);
    return;
  }
  const steps = stepsGone();
  if (ask === null || unsaved.size === 0 || steps === 0 || !isLeft(shownUrl, location.href)) {
    acceptSteps(steps);
    shownUrl = location.href;
    return;
  }
  event.stopImmediatePropagation();
  isReturning = true;
  history.go(-steps);
  ask(() => history.go(steps));
}

// Capturing, so that it comes before every page's own listener.
for (const event of ['popstate', 'hashchange']) addEventListener(event, follow, { capture: true });
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
