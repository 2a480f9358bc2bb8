import { IntegrationsDocument } from '../../../generated/dashboard.ts';
import { Badge, Loaded } from '../parts/feedback.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { Shopify } from '../parts/shopify.tsx';
import { Webhooks } from '../parts/webhooks.tsx';
import { useQuery } from '../session.ts';

const kindText = (kind: string, channels: { medium: string; label: string }[]): string =>
  kind === 'file' ? 'Files' : (channels.find(({ medium }) => medium === kind)?.label ?? kind);
const STATES: Record<string, { tone: 'good' | 'plain'; text: string }> = {
  active: { tone: 'good', text: 'in use' },
  standby: { tone: 'plain', text: 'not in use' },
  unconfigured: { tone: 'plain', text: 'not set up' },
};

/** What the service sends with, and what it tells the store's own systems. */
export function IntegrationsPage() {
  const integrations = useQuery(IntegrationsDocument, {});
  return (
    <>
      <PageHead title="Integrations" />
      <Card
        title="Message providers"
        note="The operator of this service sets them up for all stores; a mail server of your own, under Settings, takes the place of theirs."
      >
        <Loaded query={integrations}>
          {(data) => (
            <Table
              caption="Message providers"
              rows={data.integrations}
              keyOf={({ name, kind }) => `${name} ${kind}`}
              columns={[
                { label: 'Provider', cell: ({ name }) => name },
                { label: 'For', cell: ({ kind }) => kindText(kind, data.channels) },
                {
                  label: 'State',
                  cell: ({ state }) => (
                    <Badge tone={STATES[state]?.tone ?? 'plain'}>{STATES[state]?.text ?? state}</Badge>
                  ),
                },
                { label: 'Detail', cell: ({ detail }) => <span class="wrap">{detail}</span> },
              ]}
            />
          )}
        </Loaded>
      </Card>
      <Webhooks />
      <Shopify />
    </>
  );
}
