import { IntegrationsDocument } from '../../../generated/dashboard.ts';
import { Badge, Page } from '../parts/layout.tsx';
import { Shopify } from '../parts/shopify.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { Webhooks } from '../parts/webhooks.tsx';
import { useQuery } from '../session.ts';

const STATES: Record<string, string> = {
  active: 'in use',
  standby: 'not in use',
  unconfigured: 'not set up',
};

export function IntegrationsPage() {
  return (
    <Page title="Integrations">
      <TableCard
        title="Message providers"
        note="The operator of this service sets them up for all stores; a mail server of your own, under Settings, takes the place of theirs."
        query={useQuery(IntegrationsDocument, {})}
        rowsOf={(data) => data.integrations}
        keyOf={({ name, kind }) => `${name} ${kind}`}
        columns={({ channels }) => [
          { label: 'Provider', cell: ({ name }) => name },
          {
            label: 'For',
            cell: ({ kind }) =>
              kind === 'file' ? 'Files' : (channels.find(({ medium }) => medium === kind)?.label ?? kind),
          },
          {
            label: 'State',
            cell: ({ state }) => (
              <Badge tone={state === 'active' ? 'good' : 'plain'}>{STATES[state] ?? state}</Badge>
            ),
          },
          { label: 'Detail', cell: ({ detail }) => <span class="wrap">{detail}</span> },
        ]}
      />
      <Webhooks />
      <Shopify />
    </Page>
  );
}
