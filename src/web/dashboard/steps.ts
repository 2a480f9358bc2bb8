/** What an entry of the browser's history carries. */
type Numbered = { at?: number } | null;

/** Where in the history the page stands. Every entry is numbered, so that a step that was not wanted can be taken back, whichever way it went. */
let here = 0;

function number(at: number): number {
  history.replaceState({ ...(history.state as Numbered), at }, '');
  return at;
}

/** Finds the place again where a reload left the page; called before anything is shown. */
export function beginSteps(): void {
  here = number((history.state as Numbered)?.at ?? 0);
}

/** The state of the entry that is about to be made, or that takes the place of this one. */
export function entryState<State extends object>(state: State, isNew: boolean): State & { at: number } {
  here += isNew ? 1 : 0;
  return { ...state, at: here };
}

/** How many steps the browser has gone since it was last asked; one that a link made is numbered now. */
export function stepsGone(): number {
  return ((history.state as Numbered)?.at ?? number(here + 1)) - here;
}

/** The page follows these steps. */
export const acceptSteps = (steps: number): void => void (here += steps);
