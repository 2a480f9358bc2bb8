import { useState } from 'preact/hooks';

/** A form over what is saved: what was typed lies on top of it. */
export type Form<Draft> = {
  draft: Draft;
  set: (part: Partial<Draft>) => void;
  /** What was typed is saved; it is forgotten unless more was typed meanwhile. */
  settle: () => void;
};

/** Holds what was typed only, so that newer saved values show in all other fields. */
export function useDraft<Draft extends object>(saved: Draft): Form<Draft> {
  const [typed, setTyped] = useState<Partial<Draft>>({});
  return {
    draft: { ...saved, ...typed },
    set: (part) => setTyped((now) => ({ ...now, ...part })),
    settle: () => setTyped((now) => (now === typed ? {} : now)),
  };
}

/** The fields that differ. Only they are sent, so that what a colleague changed elsewhere meanwhile stays. */
export function changedFields<Fields extends object>(fields: Fields, saved: Fields): Partial<Fields> {
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify(saved[name as keyof Fields]);
  return Object.fromEntries(Object.entries(fields).filter(isChanged)) as Partial<Fields>;
}
