import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Demo } from './demo.ts';
import type { Schema } from './model.ts';
import type { Credentials } from './request.ts';

export const LANGUAGES = ['curl', 'JavaScript', 'GraphQL'] as const;
export type Language = (typeof LANGUAGES)[number];

export type Settings = {
  /** The service's public URL, for code to copy. */
  address: string;
  credentials: Credentials;
  /** The demo shopper, while its credentials are in use. */
  demo: Demo | null;
  /** Creates the demo shopper, unless other credentials are in use. */
  setUp: (() => Promise<Demo>) | null;
  language: Language;
  chooseLanguage: (language: Language) => void;
  schemas: Record<string, Schema>;
};

export const SettingsContext = createContext<Settings | null>(null);

export const useSettings = (): Settings => useContext(SettingsContext)!;
