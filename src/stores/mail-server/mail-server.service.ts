import { email } from '../../alerts/send/email.ts';
import { openStoreSmtp } from '../../alerts/send/store-smtp.ts';
import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { MailServerInput } from '../../generated/resolvers.ts';
import { seal } from '../../platform/encrypt.ts';
import { fail, failUntil } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { goOutside } from '../../platform/in-flight.ts';
import { findStore } from '../store.repo.ts';
import type { StoreRow } from '../store.repo.ts';
import { refusePrivateHost } from '../store.service.ts';
import { consume } from '../usage-window.repo.ts';
import { findKeys, sealingKey } from './keys.service.ts';
import * as servers from './mail-server.repo.ts';
import type { MailServerRow } from './mail-server.repo.ts';
import { TEST_KEY, TEST_LIMIT, checkServer, contextOf, testMail } from './mail-server.rules.ts';
import { createHealthLog, openServer, openServers, sendByOwnServer } from './sending.service.ts';

/** Short, because a person waits for the response. */
const TEST_LIMITS = { setupMs: 8_000, silenceMs: 8_000, messageMs: 10_000 };

export type MailServerView = Omit<MailServerRow, 'password' | 'version'>;

const hidePassword = ({ password: _password, version: _version, ...view }: MailServerRow): MailServerView =>
  view;

export async function getMailServer(ctx: Context): Promise<MailServerView | null> {
  const row = await servers.findServer(ctx.db, requireStore(ctx).pid);
  if (row === null) return null;
  const isLocked = openServer(await findKeys(ctx.config), row) === null;
  return { ...hidePassword(row), ...(isLocked && { problem: 'locked' as const }) };
}

function requireRealStore(ctx: Context): StoreRow {
  const store = requireStore(ctx);
  if (store.isDemo)
    fail(
      'forbidden',
      'The demo store cannot have its own mail server, because its messages are written to files',
    );
  return store;
}

export async function setMailServer(ctx: Context, input: MailServerInput): Promise<MailServerView> {
  const { pid } = requireRealStore(ctx);
  const checked = checkServer(input, ctx.config.webhookAllowPrivate);
  const store = await findStore(ctx.db, pid);
  if (!store?.senderAddress)
    fail('invalid-request', 'senderAddress is missing: set the sender address of the store first');
  await refusePrivateHost(ctx, checked.host, 'host');
  const change = { ...checked, password: await encryptPassword(ctx, pid, checked), version: newId() };
  return hidePassword(await servers.saveServer(ctx.db, pid, change, ctx.now()));
}

/** Encrypts the new password, or returns the stored one if host, port and login are unchanged. */
async function encryptPassword(ctx: Context, pid: string, checked: ReturnType<typeof checkServer>) {
  if (checked.password !== null)
    return seal(await sealingKey(ctx.config), checked.password, contextOf({ pid, ...checked }));
  const before = await servers.findServer(ctx.db, pid);
  if (before === null) return fail('invalid-request', 'password is missing');
  if (contextOf(before) !== contextOf({ pid, ...checked }))
    return fail(
      'invalid-request',
      'password is missing: enter it again when you change the host, port or user',
    );
  return before.password;
}

export function removeMailServer(ctx: Context): Promise<boolean> {
  return servers.removeServer(ctx.db, requireStore(ctx).pid);
}

export async function testMailServer(ctx: Context, to: string) {
  const { pid, name: storeName, senderName, senderAddress } = requireRealStore(ctx);
  const address = email.contact.read(to) ?? fail('invalid-request', 'to must be an email address');
  const opened =
    (await openServers(ctx, [pid])).get(pid) ?? fail('not-found', 'The store has no mail server');
  const now = ctx.now();
  const until = await ctx.db.transaction((tx) => consume(tx, pid, TEST_KEY, TEST_LIMIT, now));
  if (until !== null)
    failUntil(until, now, `Too many tests: the limit is ${TEST_LIMIT.points} in 10 minutes; retry later`);
  await goOutside(ctx);
  const from = { pid, isDemo: false, storeName, senderName, senderAddress };
  const message = { id: newId(), ...from, to: address, payload: testMail(storeName) };
  const { outcome, problem } = await sendByOwnServer(opened, message, async (server, mail) => {
    const smtp = openStoreSmtp(server, ctx.config.webhookAllowPrivate, TEST_LIMITS, 1);
    await smtp.send(mail).finally(() => smtp.close());
  });
  if (problem !== undefined) await createHealthLog(ctx)(opened, problem);
  const isSent = outcome.kind === 'sent';
  return { isSent, problem: isSent ? null : (problem ?? 'refused') };
}
