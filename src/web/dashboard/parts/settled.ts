import { useEffect, useState } from 'preact/hooks';

const TYPING_PAUSE_MS = 250;

/** A value once it has rested for a moment, so that typing does not ask at every letter. */
export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
