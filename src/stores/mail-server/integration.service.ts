import { MEDIA, channelOf } from '../../alerts/send/channels.ts';
import type { Medium } from '../../alerts/send/channels.ts';
import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { getMailServer } from './mail-server.service.ts';
import type { MailServerView } from './mail-server.service.ts';

/** Never contains a user name, password or token. */
type IntegrationRow = {
  name: string;
  kind: Medium | 'file';
  state: 'active' | 'standby' | 'unconfigured';
  detail: string;
};

function providerRow({ config }: Context, medium: Medium, isDemo: boolean): IntegrationRow {
  const { provider } = channelOf(medium);
  const settings = config.channels[medium];
  const base = { name: provider.name, kind: medium };
  if (settings === undefined) return { ...base, state: 'unconfigured', detail: provider.hint };
  return { ...base, state: isDemo ? 'standby' : 'active', detail: provider.describe(settings) };
}

function fileRow(messages: string[], isDemo: boolean): IntegrationRow {
  const base = { name: 'File outbox', kind: 'file' as const };
  if (messages.length === 0)
    return { ...base, state: 'standby', detail: 'Takes over for a medium that has no provider.' };
  const note = isDemo ? ' The demo store never sends to real people.' : '';
  const detail = `Keeps ${messages.join(' and ')} as files in DATA_DIR/outbox.${note}`;
  return { ...base, state: 'active', detail };
}

function ownRow(medium: Medium, { host, port }: MailServerView, from: string | null): IntegrationRow {
  const detail = `Sends from ${from ?? 'no address'} by ${host}:${port}; see Settings.`;
  return { name: 'Own mail server', kind: medium, state: 'active', detail };
}

/** All supported providers with their state for the calling store. A store's own mail server replaces the service's. */
export async function getIntegrations(ctx: Context): Promise<IntegrationRow[]> {
  const { isDemo, senderAddress } = requireStore(ctx);
  const own = await getMailServer(ctx);
  const hasOwn = (medium: Medium): boolean => channelOf(medium).hasOwnServers === true && own !== null;
  const isToFile = (medium: Medium) => isDemo || (!ctx.config.channels[medium] && !hasOwn(medium));
  const toFiles = MEDIA.filter(isToFile).map((medium) => channelOf(medium).messages);
  const rows = MEDIA.map((medium) =>
    own && hasOwn(medium) ? ownRow(medium, own, senderAddress) : providerRow(ctx, medium, isDemo),
  );
  return [...rows, fileRow(toFiles, isDemo)];
}

export function getChannels(ctx: Context) {
  requireStore(ctx);
  return MEDIA.map((medium) => {
    const { label, contact, parts } = channelOf(medium);
    return {
      medium,
      label,
      contactLabel: contact.label,
      contactSample: contact.sample,
      parts: Object.entries(parts).map(([name, part]) => ({
        name,
        label: part.label,
        isField: part.form === 'field',
        isHtml: part.form === 'html',
        isSegmented: part.isSegmented === true,
        rows: part.rows,
      })),
    };
  });
}
