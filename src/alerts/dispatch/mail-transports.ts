import type { Sender } from '../send/channel.ts';
import { openStoreSmtps } from '../send/store-smtp.ts';
import type { Services } from '../../context.ts';
import {
  carryMail,
  createHealthLog,
  listOwners,
  openServers,
} from '../../stores/mail-server/sending.service.ts';
import type { Whose } from './queue.ts';

/** Brings a message to its receiver's provider. */
export type Carrier = Pick<Sender, 'send'>;

/** Who carries the messages of a batch: asked with its stores, it says by store. */
export type Carriers = (pids: readonly string[]) => Promise<(pid: string) => Carrier>;

/** Where one provider serves all stores. */
export const always =
  (sender: Sender): Carriers =>
  async () =>
  () =>
    sender;

/** A store set or removed its server after its turn was found; the other lane has the mail in a moment. */
const MOVED: Carrier = {
  send: async () => ({ kind: 'retry', reason: 'the mail server of the store was changed' }),
};

/** How mails leave: one way for stores without a mail server of their own, and one for those with. Neither takes the other's mails. */
export type MailWays = {
  shared: { whose: Whose; carriers: Carriers };
  own: { whose: Whose; carriers: Carriers; close: () => void };
};

/** What is asked of the table at each batch counts, so that a change takes effect at once in every process. */
export function openMailWays(services: Services, sender: Sender): MailWays {
  const { db, config, now } = services;
  const smtps = openStoreSmtps(config.webhookAllowPrivate);
  const note = createHealthLog(services);
  const owners = () => listOwners(db);
  return {
    shared: {
      whose: { isAmong: false, owners },
      carriers: async () => {
        const own = await owners();
        return (pid) => (own.has(pid) ? MOVED : sender);
      },
    },
    own: {
      whose: { isAmong: true, owners },
      carriers: async (pids) => {
        const own = await openServers(services, pids);
        return (pid) => {
          const opened = own.get(pid);
          if (opened === undefined) return MOVED;
          return {
            async send(message) {
              // The demo store cannot have one; what it sends becomes files in any case.
              if (message.isDemo) return sender.send(message, now());
              const { outcome, problem } = await carryMail(opened, message, (server, mail) =>
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
