import type { Setting } from './setting.types.ts';

export const ALERT_SETTINGS = {
  digestSeconds: {
    ...{ kind: 'int', min: 0, max: 86_400, initial: 0, within: 'pacing' },
    rule: 'must be 0 (off) to 86400 seconds',
    cli: {
      value: 'N',
      help: 'alerts of one contact within so many seconds leave in one message',
      off: 'each leaves alone (default)',
    },
    form: {
      card: 'frequency',
      unitSeconds: 60,
      emptyIs: 0,
      placeholder: '10',
    },
  },
  quietFrom: {
    ...{ kind: 'text', check: 'time', initial: null, within: 'pacing' },
    cli: {
      value: 'HH:MM',
      help: 'no alert leaves from this time of day …',
      off: 'with --no-quiet-to: alerts leave at any time (default)',
    },
    form: {
      card: 'frequency',
      as: 'time',
    },
  },
  quietTo: {
    ...{ kind: 'text', check: 'time', initial: null, within: 'pacing' },
    cli: { value: 'HH:MM', help: '… until this one', off: 'see --no-quiet-from' },
    form: {
      card: 'frequency',
      as: 'time',
    },
  },
  timeZone: {
    ...{ kind: 'text', check: 'timeZone', initial: null, within: 'pacing' },
    cli: { value: 'ZONE', help: "the store's time zone, such as Europe/Berlin", off: 'UTC (default)' },
    form: {
      card: 'frequency',
      as: 'timeZone',
    },
  },
  dailyCap: {
    ...{ kind: 'int', min: 1, max: 1_000, initial: null, within: 'pacing' },
    rule: 'must be 1 to 1000 messages in 24 hours',
    cli: {
      value: 'N',
      help: 'messages with alerts a contact gets within 24 hours',
      off: 'no limit (default)',
    },
    form: {
      card: 'frequency',
    },
  },
  measureAlerts: {
    kind: 'flag',
    cli: { help: 'links in alerts count clicks (default)', off: "they are the shop's own" },
    form: {
      card: 'clicks',
    },
  },
  attributionDays: {
    ...{ kind: 'int', min: 1, max: 90, initial: 7 },
    rule: 'must be between 1 and 90',
    cli: {
      value: 'N',
      help: 'days after a click in which an order counts as from the alert, 1 to 90',
      off: '7 days (default)',
    },
    form: {
      card: 'clicks',
    },
  },
} as const satisfies Record<string, Setting>;
