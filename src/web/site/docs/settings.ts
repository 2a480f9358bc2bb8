import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Demo } from './demo.ts';
import type { Schema } from './model.ts';
import type { Credentials } from './request.ts';

/** The ways in which samples are written. */
export const LANGUAGES = ['curl', 'JavaScript', 'GraphQL'] as const;
/** One of the ways in which samples are written. */
export type Language = (typeof LANGUAGES)[number];

/** What every part of the page goes by. */
export type Settings = {
  /** The service's public address, for code to copy. */
  address: string;
  credentials: Credentials;
  /** The demo store, while the credentials are its own. */
  demo: Demo | null;
  language: Language;
  chooseLanguage: (language: Language) => void;
  schemas: Record<string, Schema>;
};

/** Given by the page to its parts. */
export const SettingsContext = createContext<Settings | null>(null);

/** What every part of the page goes by. */
export const useSettings = (): Settings => useContext(SettingsContext)!;
