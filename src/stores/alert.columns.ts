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
    form: {
      card: 'frequency',
      label: 'Minutes to gather',
      unitSeconds: 60,
      emptyIs: 0,
      placeholder: '10',
      hint: 'What a shopper is to hear within them is one message, not several.',
    },
  },
  quietFrom: {
    ...{ kind: 'text', check: 'time', initial: null, within: 'pacing' },
    cli: {
      value: 'HH:MM',
      help: 'start of quiet hours: send no alerts from this time …',
      off: 'with --no-quiet-to: no quiet hours (default)',
    },
    form: {
      card: 'frequency',
      label: 'Quiet from',
      as: 'time',
      hint: 'No alert leaves from this time of day …',
    },
  },
  quietTo: {
    ...{ kind: 'text', check: 'time', initial: null, within: 'pacing' },
    cli: { value: 'HH:MM', help: '… until this time', off: 'see --no-quiet-from' },
    form: {
      card: 'frequency',
      label: 'Quiet until',
      as: 'time',
      hint: '… until this one. Those that came up meanwhile leave then.',
    },
  },
  timeZone: {
    ...{ kind: 'text', check: 'timeZone', initial: null, within: 'pacing' },
    cli: { value: 'ZONE', help: "the store's time zone, such as Europe/Berlin", off: 'UTC (default)' },
    form: {
      card: 'frequency',
      label: 'Time zone',
      as: 'timeZone',
      hint: 'Whose clocks these times are read on.',
    },
  },
  dailyCap: {
    ...{ kind: 'int', min: 1, max: 1_000, initial: null, within: 'pacing' },
    rule: 'must be 1 to 1000 messages in 24 hours',
    cli: {
      value: 'N',
      help: 'maximum alert messages per contact in 24 hours',
      off: 'no limit (default)',
    },
    form: {
      card: 'frequency',
      label: 'Messages a day',
      hint: 'Most that a shopper gets within 24 hours. Others wait until there is room.',
    },
  },
  measureAlerts: {
    kind: 'flag',
    cli: { help: 'track clicks on links in alerts (default)', off: 'link to the shop directly' },
    form: {
      card: 'clicks',
      label: 'Measure clicks',
      hint: 'Links in alerts count clicks. Opens are never tracked, and everybody can decline.',
    },
  },
  attributionDays: {
    ...{ kind: 'int', min: 1, max: 90, initial: 7 },
    rule: 'must be between 1 and 90',
    cli: {
      value: 'N',
      help: 'attribution window: days after a click in which an order counts, 1 to 90',
      off: '7 days (default)',
    },
    form: {
      card: 'clicks',
      label: 'Days that a click counts',
      hint: 'An order so many days after the click is one from the alert, 1 to 90.',
    },
  },
} as const satisfies Record<string, Setting>;
