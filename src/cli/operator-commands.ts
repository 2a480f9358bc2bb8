import {
  OPERATOR_USER,
  addOperatorKey,
  listOperatorKeys,
  revokeOperatorKey,
} from '../stores/operator.service.ts';
import { nameFlag } from './commands.ts';
import type { Command } from './commands.ts';
import { NEW_DATABASE_FLAG } from './database.ts';
import { describeKey } from './describe.ts';
import { required } from './flags.ts';

export const operatorCommands: Record<string, Command> = {
  key: {
    summary: 'make an operator key and print it, which is shown this once; the old ones stay valid',
    flags: {
      name: { type: 'string', value: 'NAME', help: 'whose it is, at most 60 characters' },
      ...NEW_DATABASE_FLAG,
    },
    prepare(values) {
      const name = typeof values['name'] === 'string' ? values['name'] : '';
      return async (services) => {
        const { id, key } = await addOperatorKey(services, name);
        const text = `New operator key\n  sign in as    ${OPERATOR_USER}\n  operator key  ${key}\n  key id        ${id}\nKeep the key: only its hash is stored. It opens every store of this service.`;
        return { json: { keyId: id, operatorKey: key }, text };
      };
    },
  },
  list: {
    summary: 'show the operator keys that work, by name, hint and id',
    flags: {},
    prepare: () => async (services) => {
      const keys = await listOperatorKeys(services);
      return { json: keys, text: keys.map(describeKey).join('\n') || 'There is no operator key yet.' };
    },
  },
  revoke: {
    summary: 'end an operator key and the dashboards that are signed in with it, at once',
    flags: { 'key-id': { type: 'string', value: 'ID', help: 'the key (see list)' } },
    prepare(values) {
      const keyId = required(values, 'key-id');
      return async (services) => {
        await nameFlag('key-id', revokeOperatorKey(services, keyId));
        return { json: { keyId, revoked: true }, text: 'The operator key is revoked.' };
      };
    },
  },
};
