import type { Medium } from '../send/channels.ts';
import type { Services } from '../../context.ts';
import { packAlerts } from '../events/message.service.ts';
import type { LaneOptions } from './queue.ts';
import type { Carriers } from './mail-transports.ts';

/** Alerts of a medium, several of a contact in one message where the store wants that. They are rendered when they are sent, with the product as it is then. */
export function alertLane(
  services: Services,
  medium: Medium,
  carriers: Carriers,
  concurrency: number,
): LaneOptions {
  return {
    lane: { lane: 'alert', medium },
    concurrency,
    prepare: async (messages) => {
      const carrierOf = await carriers(messages.map(({ pid }) => pid));
      const parcels = await packAlerts(services, medium, messages);
      return parcels.map(({ message, others, seal }) => ({
        message,
        others,
        attempt: async () => {
          const ready = await seal();
          return 'kind' in ready ? ready : carrierOf(message.pid).send(ready, services.now());
        },
      }));
    },
  };
}
