import { splitList } from '../platform/text.ts';
import { flagOf } from '../stores/setting.rules.ts';
import type { Setting } from '../stores/setting.types.ts';
import { storeSettings } from '../stores/store.columns.ts';
import type { RateLimits, StoreSettings } from '../stores/store.service.ts';
import { UsageError, whole } from './flags.ts';
import type { Flag, Values } from './flags.ts';

type Row = (typeof storeSettings)[number];

const nameOf = ({ name, cli }: Row): string => cli.inverse ?? flagOf(name);

function flagsOf(setting: Row): [string, Flag][] {
  const { help, value, off } = setting.cli;
  const flag: [string, Flag] = [
    nameOf(setting),
    { type: setting.kind === 'flag' ? 'boolean' : 'string', help, value },
  ];
  return off === undefined ? [flag] : [flag, [`no-${flag[0]}`, { type: 'boolean', help: off }]];
}

/** Flags that set something on a store; a `no-` twin clears it. */
export const SETTING_FLAGS: Record<string, Flag> = Object.fromEntries(storeSettings.flatMap(flagsOf));

function limits(text: string): RateLimits {
  const pairs = splitList(text).map((pair) => pair.split('='));
  const bad = pairs.find(([kind, limit, ...more]) => !kind || !/^\d+$/.test(limit ?? '') || more.length > 0);
  if (bad)
    throw new UsageError(`--rate-limits "${bad.join('=')}" must be key=N, shopper=N, address=N or cost=N`);
  return Object.fromEntries(pairs.map(([kind, limit]) => [kind, Number(limit)])) as RateLimits;
}

const KINDS: {
  [Kind in Setting['kind']]: { read: (text: string, flag: string) => unknown; cleared?: unknown };
} = {
  text: { read: (text) => text },
  int: { read: (text, flag) => whole(flag, text) },
  list: { read: splitList, cleared: [] },
  flag: { read: () => true, cleared: false },
  rateLimits: { read: limits, cleared: {} },
};

/** Undefined when neither the flag nor its `no-` twin was given. */
function readSetting(setting: Row, values: Values): unknown {
  const flag = nameOf(setting);
  const { read, cleared = 'initial' in setting ? setting.initial : null } = KINDS[setting.kind];
  const value = values[flag];
  const isCleared = values[`no-${flag}`] === true;
  if (isCleared && value !== undefined) throw new UsageError(`Use --${flag} or --no-${flag}, not both`);
  if (isCleared) return setting.cli.inverse ? true : cleared;
  if (value === undefined) return undefined;
  // An empty value is more likely an unset variable of a script than an attempt to clear the setting.
  if (setting.cli.off !== undefined && typeof value === 'string' && value.replaceAll(',', '').trim() === '')
    throw new UsageError(`--${flag} is empty; use --no-${flag} to clear it`);
  return setting.cli.inverse ? false : read(String(value), flag);
}

export function readSettings(values: Values): StoreSettings {
  const read = storeSettings.map((setting) => [setting.name, readSetting(setting, values)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}
