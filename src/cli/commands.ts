import type { Services } from '../context.ts';
import { describeFailure } from '../platform/errors.ts';
import { removeGuests } from '../shoppers/guest.service.ts';
import { revokeSessions } from '../shoppers/shopper.service.ts';
import {
  OPERATOR_USER,
  addOperatorKey,
  listOperatorKeys,
  revokeOperatorKey,
} from '../stores/operator.service.ts';
import { dropTokenKeys, rotateTokenKey } from '../stores/settings.service.ts';
import {
  createStore,
  listAllStores,
  renameKey,
  revokeKey,
  rotateKey,
  setMaintenance,
  updateStore,
} from '../stores/store.service.ts';
import type { StoreListing } from '../stores/store.service.ts';
import { NEW_DATABASE_FLAG } from './database.ts';
import { describeKey, describeStore, describeTokenKey } from './describe.ts';
import { UsageError, oneOf, required, textOf, whole } from './flags.ts';
import type { Flag, Values } from './flags.ts';
import { createTicker } from './progress.ts';
import { SETTING_FLAGS, readSettings } from './setting-flags.ts';

/** Printed as `json` with --json, else as `text`. */
export type Outcome = { json: unknown; text: string };

export type Command = {
  summary: string;
  flags: Record<string, Flag>;
  /** Checks the flags first, then opens the database. */
  run: (values: Values, open: () => Promise<Services>) => Promise<Outcome>;
};

const PID: Flag = { type: 'string', value: 'PID', help: 'the store (see list)' };
const NAME: Flag = { ...SETTING_FLAGS['name']!, help: `${SETTING_FLAGS['name']!.help} (required)` };
const KEY_ID: Flag = { type: 'string', value: 'ID', help: 'the key (see list)' };
const KEY_NAME: Flag = { type: 'string', value: 'NAME', help: 'what the key is for (at most 60 characters)' };

/** Prefixes the flag to an error that names the API's field. */
async function nameFlag(flag: string, work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    throw new Error(`--${flag}: ${describeFailure(error)}`, { cause: error });
  });
}

async function findListing(services: Services, pid: string): Promise<StoreListing> {
  return (await listAllStores(services)).find((store) => store.pid === pid)!;
}

export const commands: Record<string, Command> = {
  create: {
    summary: 'Create a store and print its pid and API key (shown only once)',
    flags: { ...SETTING_FLAGS, name: NAME, ...NEW_DATABASE_FLAG },
    async run(values, open) {
      const settings = { ...readSettings(values), name: required(values, 'name') };
      const store = await createStore(await open(), settings);
      const text = `Created ${store.name}\n  pid      ${store.pid}\n  API key  ${store.apiKey}\nSave the key now: it is not shown again.`;
      return { json: store, text };
    },
  },
  list: {
    summary: 'List all stores with their settings, key ids and key hints',
    flags: {},
    async run(_values, open) {
      const stores = await listAllStores(await open());
      return { json: stores, text: stores.map(describeStore).join('\n\n') || 'There is no store yet.' };
    },
  },
  update: {
    summary: "Change a store's settings; others stay unchanged",
    flags: { pid: PID, ...SETTING_FLAGS },
    async run(values, open) {
      const pid = required(values, 'pid');
      const settings = readSettings(values);
      if (Object.keys(settings).length === 0)
        throw new UsageError('Give at least one setting, for example --name; see --help');
      const services = await open();
      await updateStore(services, pid, settings);
      const store = await findListing(services, pid);
      return { json: store, text: describeStore(store) };
    },
  },
  'rotate-key': {
    summary: 'Add an API key; existing keys work until you revoke them',
    flags: { pid: PID, name: KEY_NAME },
    async run(values, open) {
      const pid = required(values, 'pid');
      const key = await rotateKey(await open(), pid, textOf(values, 'name'));
      const text = `New key\n  API key  ${key.apiKey}\n  key id   ${key.keyId}\nExisting keys work until you revoke them (revoke-key).`;
      return { json: key, text };
    },
  },
  'rename-key': {
    summary: 'Rename an API key',
    flags: { pid: PID, 'key-id': KEY_ID, name: KEY_NAME },
    async run(values, open) {
      const [pid, keyId] = [required(values, 'pid'), required(values, 'key-id')];
      const name = required(values, 'name').trim();
      await renameKey(await open(), pid, keyId, name);
      return { json: { pid, keyId, name }, text: `The key is now called ${name}.` };
    },
  },
  'revoke-key': {
    summary: 'Revoke an API key immediately',
    flags: { pid: PID, 'key-id': KEY_ID },
    async run(values, open) {
      const [pid, keyId] = [required(values, 'pid'), required(values, 'key-id')];
      await nameFlag('key-id', revokeKey(await open(), pid, keyId));
      return { json: { pid, keyId, revoked: true }, text: 'The key is revoked.' };
    },
  },
  'revoke-sessions': {
    summary: 'End the sessions of one shopper or of all; regids and lists remain',
    flags: {
      pid: PID,
      email: { type: 'string', value: 'EMAIL', help: 'the account with this email address' },
      uuid: { type: 'string', value: 'UUID', help: 'the guest with this UUID' },
      all: { type: 'boolean', help: 'every shopper of the store' },
    },
    async run(values, open) {
      const pid = required(values, 'pid');
      const who = oneOf(values, 'email', 'uuid', 'all');
      const [email, uuid] = [textOf(values, 'email'), textOf(values, 'uuid')];
      const scope = who === 'all' ? { all: true as const } : who === 'email' ? { email } : { uuid };
      await nameFlag(who, revokeSessions(await open(), pid, scope));
      return { json: { pid, revoked: true }, text: 'The sessions have ended.' };
    },
  },
  'rotate-token-key': {
    summary:
      'Sign sessions and links with a new key; those of older keys remain valid, and regids never change',
    flags: {
      pid: PID,
      'old-days': {
        type: 'string',
        value: 'N',
        help: 'sessions and links of older keys expire after N days (0: now); without it, use drop-token-keys',
      },
    },
    async run(values, open) {
      const pid = required(values, 'pid');
      const given = values['old-days'];
      const oldDays = given === undefined ? null : whole('old-days', String(given));
      const services = await open();
      await rotateTokenKey(services, pid, oldDays);
      const { tokenKeys } = await findListing(services, pid);
      const lines = tokenKeys.map((key, index) => `  token key  ${describeTokenKey(key, index)}`);
      return { json: { pid, tokenKeys }, text: ['The token key has been rotated.', ...lines].join('\n') };
    },
  },
  'drop-token-keys': {
    summary: 'Expire all sessions and links that older token keys signed',
    flags: { pid: PID },
    async run(values, open) {
      const pid = required(values, 'pid');
      const services = await open();
      await dropTokenKeys(services, pid);
      const { tokenKeys } = await findListing(services, pid);
      return { json: { pid, tokenKeys }, text: 'Only the newest token key remains.' };
    },
  },
  'remove-guests': {
    summary: 'Remove idle guests now (see --guest-days) instead of in the course of a day',
    flags: {
      pid: { ...PID, help: 'only this store (see list)' },
      'dry-run': { type: 'boolean', help: 'only count them' },
    },
    async run(values, open) {
      const isDryRun = values['dry-run'] === true;
      const services = await open();
      const pid = textOf(values, 'pid') || null;
      if (pid !== null && !(await findListing(services, pid)))
        throw new Error('--pid: no store has this pid');
      const ticker = createTicker(process.stderr);
      const counts = await removeGuests(services, { pid, isDryRun, now: services.now() }, (sum) =>
        ticker.show(() => `${sum.examined.toLocaleString('en')} shoppers examined`),
      );
      const { examined, deleted, reduced } = counts;
      const verb = isDryRun ? 'would be' : 'were';
      const kept = `${reduced} ${verb} emptied (their ids stay, so that ended sessions stay ended)`;
      const text = `Of ${examined} shoppers, ${deleted} guests ${verb} deleted and ${kept}.`;
      return { json: { dryRun: isDryRun, ...counts }, text };
    },
  },
  maintenance: {
    summary: 'Close or open a store or the whole service; while closed, calls return 503',
    flags: {
      on: { type: 'boolean', help: 'close' },
      off: { type: 'boolean', help: 'open' },
      pid: PID,
      all: { type: 'boolean', help: 'the whole service' },
    },
    async run(values, open) {
      const isClosed = oneOf(values, 'on', 'off') === 'on';
      const pid = oneOf(values, 'pid', 'all') === 'all' ? null : required(values, 'pid');
      await setMaintenance(await open(), pid, isClosed);
      const what = pid === null ? 'The service' : 'The store';
      return { json: { pid, maintenance: isClosed }, text: `${what} is ${isClosed ? 'closed' : 'open'}.` };
    },
  },
};

export const operatorCommands: Record<string, Command> = {
  key: {
    summary: 'Create an operator key (shown only once); existing keys remain valid',
    flags: {
      name: { type: 'string', value: 'NAME', help: 'who uses the key (at most 60 characters)' },
      ...NEW_DATABASE_FLAG,
    },
    async run(values, open) {
      const { id, key } = await addOperatorKey(await open(), textOf(values, 'name'));
      const text = `New operator key\n  sign in as    ${OPERATOR_USER}\n  operator key  ${key}\n  key id        ${id}\nSave the key now: it is not shown again. It gives access to every store of this service.`;
      return { json: { keyId: id, operatorKey: key }, text };
    },
  },
  list: {
    summary: 'List the valid operator keys with name, hint and id',
    flags: {},
    async run(_values, open) {
      const keys = await listOperatorKeys((await open()).db);
      return { json: keys, text: keys.map(describeKey).join('\n') || 'There is no operator key yet.' };
    },
  },
  revoke: {
    summary: 'Revoke an operator key and sign out its dashboard sessions',
    flags: { 'key-id': KEY_ID },
    async run(values, open) {
      const keyId = required(values, 'key-id');
      await nameFlag('key-id', revokeOperatorKey(await open(), keyId));
      return { json: { keyId, revoked: true }, text: 'The operator key is revoked.' };
    },
  },
};
