export const TOAST_MS = 5_000;
