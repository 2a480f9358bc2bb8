export type Undo = () => Promise<unknown>;

export type Toast = { text: string; isError: boolean; id: number; action?: { name: string; run: Undo } };

export const TOAST_MS = 5_000;
/** Long enough to read the message, find the button and press it. */
export const ACTION_MS = 20_000;
