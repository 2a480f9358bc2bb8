import type { Services } from '../../context.ts';
import { alertEnded } from '../events/alert-end.service.ts';
import { prepareMessages } from '../events/message.service.ts';
import type { QueueOptions } from '../queue/queue.ts';
import type { Medium } from '../send/channels.ts';
import type { Transports } from './mail-transports.ts';

/** Alerts of a medium. They are rendered when they are sent, with the product as it is then. */
export function alertQueue(
  services: Services,
  medium: Medium,
  transports: Transports,
  concurrency: number,
): QueueOptions {
  return {
    key: { lane: 'alert', medium },
    concurrency,
    prepare: async (alerts) => {
      const transportOf = await transports(alerts.map(({ pid }) => pid));
      const messages = await prepareMessages(services, medium, alerts);
      return messages.map(({ message, others, compose }) => ({
        message,
        others,
        attempt: async () => {
          const composed = await compose();
          return 'kind' in composed ? composed : transportOf(message.pid).send(composed, services.now());
        },
      }));
    },
    onEnded: alertEnded,
  };
}
