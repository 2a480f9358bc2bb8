import { useState } from 'preact/hooks';

/** A form over what is saved: what was typed lies on top of it. */
export type Draft<Fields> = {
  draft: Fields;
  set: (part: Partial<Fields>) => void;
  /** What was typed is saved; it is forgotten unless more was typed meanwhile. */
  settle: () => void;
  /** Everything that was typed is dropped. */
  reset: () => void;
};

/** Holds what was typed only, so that newer saved values show in all other fields. */
export function useDraft<Fields extends object>(saved: Fields): Draft<Fields> {
  const [typed, setTyped] = useState<Partial<Fields>>({});
  return {
    draft: { ...saved, ...typed },
    set: (part) => setTyped((now) => ({ ...now, ...part })),
    settle: () => setTyped((now) => (now === typed ? {} : now)),
    reset: () => setTyped({}),
  };
}

/** The fields that differ. Only they are sent, so that what a colleague changed elsewhere meanwhile stays. */
export function changedFields<Fields extends object>(fields: Fields, saved: Fields): Partial<Fields> {
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(saved[name as keyof Fields]);
  return Object.fromEntries(Object.entries(fields).filter(isChanged)) as Partial<Fields>;
}
