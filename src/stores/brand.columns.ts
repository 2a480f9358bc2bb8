import type { Setting } from './setting.types.ts';

export const BRAND_SETTINGS = {
  logoUrl: {
    ...{ kind: 'text', check: 'url', max: 1_000, initial: null },
    cli: {
      value: 'URL',
      help: 'https URL of the logo in emails and on pages',
      off: "show the store's name (default)",
    },
    form: {
      card: 'brand',
      label: 'Logo',
      as: 'url',
      placeholder: 'https://shop.example/logo.png',
      hint: "Address of a picture, https, shown 40 pixels high. Empty: the store's name.",
    },
  },
  colour: {
    ...{ kind: 'text', check: 'colour', max: 7, initial: null },
    cli: { value: '#RRGGBB', help: 'colour of buttons in emails and on pages', off: 'dark (default)' },
    form: { card: 'brand', label: 'Colour of buttons', placeholder: '#1f2937' },
  },
  senderName: {
    ...{ kind: 'text', check: 'line', max: 100, initial: null },
    cli: { value: 'NAME', help: 'sender name of emails', off: "the store's name (default)" },
    form: { card: 'brand', label: 'Sender name', hint: 'Mails come from this name.' },
  },
  senderAddress: {
    ...{ kind: 'text', check: 'email', initial: null },
    cli: { value: 'EMAIL', help: 'email address for replies', off: "the service's (default)" },
    form: {
      card: 'brand',
      label: 'Sender address',
      as: 'email',
      placeholder: 'hello@shop.example',
      hint: 'Answers go here. With a mail server of your own, mails come from it.',
    },
  },
  postalAddress: {
    ...{ kind: 'text', check: 'lines', max: 500, initial: null },
    cli: { value: 'TEXT', help: 'postal address at the end of every email', off: 'none (default)' },
    form: {
      card: 'brand',
      label: 'Postal address',
      as: 'lines',
      hint: 'Shown at the end of every email. Many countries require it.',
    },
  },
  imprintUrl: {
    ...{ kind: 'text', check: 'url', max: 1_000, initial: null },
    cli: {
      value: 'URL',
      help: 'https URL of the legal notice that every email links to',
      off: 'none (default)',
    },
    form: {
      card: 'brand',
      label: 'Legal notice',
      as: 'url',
      placeholder: 'https://shop.example/legal',
      hint: 'Every email links to it.',
    },
  },
  currency: {
    ...{ kind: 'text', check: 'currency', initial: null },
    cli: { value: 'EUR', help: 'currency of all prices', off: 'show prices as plain numbers (default)' },
    form: { card: 'brand', label: 'Currency', as: 'currency' },
  },
  locale: {
    ...{ kind: 'text', check: 'locale', max: 35, initial: 'en' },
    cli: { value: 'de-CH', help: 'language and country, such as de-CH', off: 'en (default)' },
    form: {
      card: 'brand',
      label: 'Language and country',
      placeholder: 'en',
      hint: 'How prices are written: en, de-CH, pt-BR.',
    },
  },
} as const satisfies Record<string, Setting>;
