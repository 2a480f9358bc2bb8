import { MEDIA, channelOf } from '../../alerts/send/channels.ts';
import type { Medium } from '../../alerts/send/channels.ts';
import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { getMailServer } from './mail-server.service.ts';
import type { MailServerView } from './mail-server.service.ts';

/** Never contains a user name, password or token. */
export type IntegrationRow = {
  name: string;
  kind: Medium | 'file';
  state: 'active' | 'standby' | 'unconfigured';
  detail: string;
};

const DEMO_NOTE = ' The demo store never sends to real people.';

function stateOf(isSetUp: boolean, isDemo: boolean): IntegrationRow['state'] {
  if (!isSetUp) return 'unconfigured';
  return isDemo ? 'standby' : 'active';
}

function providerRow({ config }: Context, medium: Medium, isDemo: boolean): IntegrationRow {
  const { provider } = channelOf(medium);
  const settings = config.channels[medium];
  return {
    name: provider.name,
    kind: medium,
    state: stateOf(settings !== undefined, isDemo),
    detail: settings ? provider.describe(settings) : provider.hint,
  };
}

function fileRow(mediums: string[], isDemo: boolean): IntegrationRow {
  const base = { name: 'File outbox', kind: 'file' as const };
  if (mediums.length === 0) {
    return { ...base, state: 'standby', detail: 'Takes over for a medium that has no provider.' };
  }
  const note = isDemo ? DEMO_NOTE : '';
  return {
    ...base,
    state: 'active',
    detail: `Keeps ${mediums.join(' and ')} as files in DATA_DIR/outbox.${note}`,
  };
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
  const toFiles = MEDIA.filter(
    (medium) => isDemo || (ctx.config.channels[medium] === undefined && !hasOwn(medium)),
  );
  return [
    ...MEDIA.map((medium) =>
      own && hasOwn(medium) ? ownRow(medium, own, senderAddress) : providerRow(ctx, medium, isDemo),
    ),
    fileRow(
      toFiles.map((medium) => channelOf(medium).messages),
      isDemo,
    ),
  ];
}

export type ChannelRow = {
  medium: Medium;
  label: string;
  contactLabel: string;
  contactSample: string;
  parts: { name: string; label: string; isHtml: boolean; isSegmented: boolean; rows: number }[];
};

export function getChannels(ctx: Context): ChannelRow[] {
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
        isHtml: part.form === 'html',
        isSegmented: part.isSegmented === true,
        rows: part.rows,
      })),
    };
  });
}
