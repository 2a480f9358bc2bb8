import type { Setting } from './setting.types.ts';

export const BRAND_SETTINGS = {
  logoUrl: {
    ...{ kind: 'text', check: 'url', max: 1_000, initial: null },
    cli: {
      value: 'URL',
      help: 'https URL of the logo in emails and on pages',
      off: "show the store's name (default)",
    },
    form: { card: 'brand', as: 'url', placeholder: 'https://shop.example/logo.png' },
  },
  colour: {
    ...{ kind: 'text', check: 'colour', max: 7, initial: null },
    cli: { value: '#RRGGBB', help: 'colour of buttons in emails and on pages', off: 'dark (default)' },
    form: { card: 'brand', placeholder: '#1f2937' },
  },
  senderName: {
    ...{ kind: 'text', check: 'line', max: 100, initial: null },
    cli: { value: 'NAME', help: 'sender name of emails', off: "the store's name (default)" },
    form: { card: 'brand' },
  },
  senderAddress: {
    ...{ kind: 'text', check: 'email', initial: null },
    cli: { value: 'EMAIL', help: 'email address for replies', off: "the service's (default)" },
    form: { card: 'brand', as: 'email', placeholder: 'hello@shop.example' },
  },
  postalAddress: {
    ...{ kind: 'text', check: 'lines', max: 500, initial: null },
    cli: { value: 'TEXT', help: 'postal address at the end of every email', off: 'none (default)' },
    form: { card: 'brand', as: 'lines' },
  },
  imprintUrl: {
    ...{ kind: 'text', check: 'url', max: 1_000, initial: null },
    cli: {
      value: 'URL',
      help: 'https URL of the legal notice that every email links to',
      off: 'none (default)',
    },
    form: { card: 'brand', as: 'url', placeholder: 'https://shop.example/legal' },
  },
  currency: {
    ...{ kind: 'text', check: 'currency', initial: null },
    cli: { value: 'EUR', help: 'currency of all prices', off: 'show prices as plain numbers (default)' },
    form: { card: 'brand', as: 'currency' },
  },
  locale: {
    ...{ kind: 'text', check: 'locale', max: 35, initial: 'en' },
    cli: { value: 'de-CH', help: 'language and country, such as de-CH', off: 'en (default)' },
    form: { card: 'brand', placeholder: 'en' },
  },
} as const satisfies Record<string, Setting>;
