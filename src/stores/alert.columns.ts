import type { Setting } from './setting.types.ts';

export const ALERT_SETTINGS = {
  digestSeconds: {
    ...{ kind: 'int', min: 0, max: 86_400, initial: 0, within: 'pacing' },
    rule: 'must be 0 (off) to 86400 seconds',
    cli: {
      value: 'N',
      help: 'combine alerts to one contact within N seconds into one message',
      off: 'send each alert separately (default)',
    },
    form: { card: 'frequency', unitSeconds: 60, emptyIs: 0, placeholder: '10' },
  },
  quietFrom: {
    ...{ kind: 'text', check: 'time', initial: null, within: 'pacing' },
    cli: {
      value: 'HH:MM',
      help: 'start of quiet hours: send no alerts from this time …',
      off: 'with --no-quiet-to: no quiet hours (default)',
    },
    form: { card: 'frequency', as: 'time' },
  },
  quietTo: {
    ...{ kind: 'text', check: 'time', initial: null, within: 'pacing' },
    cli: { value: 'HH:MM', help: '… until this time', off: 'see --no-quiet-from' },
    form: { card: 'frequency', as: 'time' },
  },
  timeZone: {
    ...{ kind: 'text', check: 'timeZone', initial: null, within: 'pacing' },
    cli: { value: 'ZONE', help: "the store's time zone, such as Europe/Berlin", off: 'UTC (default)' },
    form: { card: 'frequency', as: 'timeZone' },
  },
  dailyCap: {
    ...{ kind: 'int', min: 1, max: 1_000, initial: null, within: 'pacing' },
    rule: 'must be 1 to 1000 messages in 24 hours',
    cli: {
      value: 'N',
      help: 'maximum alert messages per contact in 24 hours',
      off: 'no limit (default)',
    },
    form: { card: 'frequency' },
  },
  measureAlerts: {
    kind: 'flag',
    cli: { help: 'track clicks on links in alerts (default)', off: 'link to the shop directly' },
    form: { card: 'clicks' },
  },
  attributionDays: {
    ...{ kind: 'int', min: 1, max: 90, initial: 7 },
    rule: 'must be between 1 and 90',
    cli: {
      value: 'N',
      help: 'attribution window: days after a click in which an order counts, 1 to 90',
      off: '7 days (default)',
    },
    form: { card: 'clicks' },
  },
} as const satisfies Record<string, Setting>;
