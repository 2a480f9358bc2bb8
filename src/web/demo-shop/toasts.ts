import { useCallback, useState } from 'preact/hooks';

/** Takes back what was just done, or does again what failed. */
export type Undo = () => Promise<unknown>;

/** A line that appears for a few seconds, with a button where something can be done about it. */
export type Toast = { text: string; isError: boolean; id: number; action?: { name: string; run: Undo } };

/** Shows a line. */
export type Show = (text: string, isError?: boolean, action?: Toast['action']) => void;

export const TOAST_MS = 5_000;
/** Long enough to read it, find the button and press it. */
export const ACTION_MS = 20_000;

export function useToasts(): { toasts: Toast[]; show: Show; dismiss: (id: number) => void } {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const dismiss = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show = useCallback<Show>(
    (text, isError = false, action) => {
      const id = Math.random();
      setToasts((all) => [...all.slice(-1), { text, isError, id, action }]);
      setTimeout(() => dismiss(id), action ? ACTION_MS : TOAST_MS);
    },
    [dismiss],
  );
  return { toasts, show, dismiss };
}
