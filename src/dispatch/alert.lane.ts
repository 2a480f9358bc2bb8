import type { Sender } from '../channel/channel.ts';
import type { Medium } from '../channel/channels.ts';
import type { Services } from '../context.ts';
import { prepareAlerts } from '../domain/alert/alert.service.ts';
import type { LaneOptions } from './lane.ts';

/** Alerts of a medium. They are rendered when they are sent, with the product as it is then. */
export function alertLane(
  services: Services,
  medium: Medium,
  sender: Sender,
  concurrency: number,
): LaneOptions {
  return {
    lane: { lane: 'alert', medium },
    concurrency,
    prepare: async (messages) => {
      const alerts = await prepareAlerts(services, medium, messages);
      return alerts.map((render) => async () => {
        const ready = await render();
        return 'kind' in ready ? ready : sender.send(ready, services.now());
      });
    },
  };
}
