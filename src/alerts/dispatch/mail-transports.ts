import type { Services } from '../../context.ts';
import {
  createHealthLog,
  listOwners,
  openServers,
  sendByOwnServer,
} from '../../stores/mail-server/sending.service.ts';
import type { Stores } from '../queue/queue.ts';
import type { Sender } from '../send/channel.ts';
import { openStoreSmtps } from '../send/store-smtp.ts';

/** Hands a message to a provider. */
export type Transport = Pick<Sender, 'send'>;

/** Loads the transports of a batch's stores. */
export type Transports = (pids: readonly string[]) => Promise<(pid: string) => Transport>;

/** One provider for all stores. */
export const always =
  (sender: Transport): Transports =>
  async () =>
  () =>
    sender;

/** The store set or removed its server after the batch was claimed; the other queue sends the mail next time. */
const CHANGED: Transport = {
  send: async () => ({ kind: 'retry', reason: 'the mail server of the store was changed' }),
};

/** Two ways out for mails, each with its stores: the service's mail server, and stores' own servers. */
export type MailTransports = {
  shared: { stores: Stores; transports: Transports };
  own: { stores: Stores; transports: Transports; close: () => void };
};

/** Which store has a server of its own is read for each batch, so that a change takes effect at once in every process. */
export function openMailTransports(services: Services, sender: Sender): MailTransports {
  const { db, config, now } = services;
  const smtps = openStoreSmtps(config.webhookAllowPrivate);
  const note = createHealthLog(services);
  const owners = () => listOwners(db);
  return {
    shared: {
      stores: { except: owners },
      transports: async () => {
        const own = await owners();
        return (pid) => (own.has(pid) ? CHANGED : sender);
      },
    },
    own: {
      stores: { only: owners },
      transports: async (pids) => {
        const servers = await openServers(services, pids);
        return (pid) => {
          const opened = servers.get(pid);
          if (opened === undefined) return CHANGED;
          return {
            async send(message) {
              // The demo store's mails always become files.
              if (message.isDemo) return sender.send(message, now());
              const { outcome, problem } = await sendByOwnServer(opened, message, (server, mail) =>
                smtps.send(opened, server, mail),
              );
              if (problem !== undefined) await note(opened, problem);
              return outcome;
            },
          };
        };
      },
      close: () => smtps.close(),
    },
  };
}
