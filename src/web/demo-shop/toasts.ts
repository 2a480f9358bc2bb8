export type Undo = () => Promise<unknown>;

/** A message that appears for a few seconds, with a button where something can be done about it. */
export type Toast = { text: string; isError: boolean; id: number; action?: { name: string; run: Undo } };

export const TOAST_MS = 5_000;
/** Long enough to read it, find the button and press it. */
export const ACTION_MS = 20_000;
