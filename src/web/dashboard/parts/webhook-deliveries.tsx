import { useEffect, useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment, formatNumber } from '../format.ts';
import { reloadAll, useAction, usePolling, useQuery, useSession } from '../session.ts';
import { t } from '../text.ts';
import { Dialog } from './dialog.tsx';
import { Badge, Button, CellNote, Empty, ErrorNotice, Loaded, StateBadge, Table } from './layout.tsx';
import { TextPreview } from './template-preview.tsx';

const ATTEMPTS_MS = 3_000;

function WebhookDelivery({ id }: { id: string }) {
  const query = useQuery(gql.WebhookDeliveryDocument, { id });
  usePolling(query, ATTEMPTS_MS);
  return (
    <Loaded query={query}>
      {({ delivery }) => {
        if (delivery === null) return <Empty title={t('delivery.gone')} />;
        const { state, tries, dueAt, payload } = delivery;
        return (
          <>
            {state === 'queued' && (
              <p class="notice" role="status">
                {tries.length === 0
                  ? t('delivery.sending')
                  : t('delivery.next', { time: formatMoment(dueAt) })}
              </p>
            )}
            <h3>{t('delivery.attempts')}</h3>
            <Table
              caption={t('delivery.attemptsCaption')}
              rows={tries}
              keyOf={({ at, tookMs }) => `${at} ${tookMs}`}
              columns={[
                { label: 'delivery.when', time: ({ at }) => at },
                {
                  label: 'delivery.response',
                  cell: ({ status, error }) => (
                    <>
                      <Badge tone={error === null ? 'good' : 'bad'}>
                        {status ?? t('delivery.noResponse')}
                      </Badge>
                      {error && status === null && <CellNote>{error}</CellNote>}
                    </>
                  ),
                },
                { label: 'delivery.took', number: ({ tookMs }) => `${formatNumber(tookMs)} ms` },
              ]}
              empty={['delivery.noAttempts']}
            />
            <h3>{t('delivery.payload')}</h3>
            <TextPreview
              label={t('delivery.payload')}
              text={JSON.stringify(payload, null, 2)}
              look="payload"
            />
          </>
        );
      }}
    </Loaded>
  );
}

const REFRESH_MS = 5_000;

type Delivery = Answered<gql.WebhookDeliveriesQuery>['deliveries']['edges'][number]['node'];

/** `shown` is the delivery to open first. */
type Props = { id: string; url: string; shown?: string };

export function WebhookDeliveries({ id: webhookId, url, shown }: Props) {
  const { run } = useSession();
  const deliveries = useQuery(gql.WebhookDeliveriesDocument, { webhookId });
  const [opened, setOpened] = useState<string | null>(shown ?? null);
  usePolling(deliveries, REFRESH_MS);
  // The webhook's health may have changed in the meantime.
  useEffect(() => reloadAll, []);
  const replay = useAction(async (id: string) => {
    await run(gql.ReplayDeliveryDocument, { id });
  });
  const test = useAction(async () => {
    const { testWebhook } = await run(gql.TestWebhookDocument, { id: webhookId });
    setOpened(testWebhook.id);
    return t('webhook.testSent');
  });
  const again = (id: string, look: { text: string; look?: string; label?: string }) => (
    <Button {...look} disabled={replay.isBusy} onClick={() => replay.start(id)} />
  );
  const actions = ({ id, type, state }: Delivery) => (
    <>
      <Button
        text={t('delivery.details')}
        label={t('delivery.detailsOf', { type })}
        onClick={() => setOpened(id)}
      />
      {state !== 'queued' &&
        again(id, { text: t('delivery.resend'), label: t('delivery.resendOf', { type }) })}
    </>
  );
  return (
    <Dialog title={t(opened ? 'delivery.title' : 'webhook.deliveries')} isWide>
      <p>
        <span class="code">{url}</span>
      </p>
      <ErrorNotice error={replay.error ?? test.error} />
      {opened === null ? (
        <Loaded query={deliveries}>
          {({ deliveries: { edges } }) => (
            <Table
              caption={t('delivery.listCaption')}
              rows={edges.map(({ node }) => node)}
              keyOf={({ id }) => id}
              columns={[
                {
                  label: 'delivery.event',
                  cell: ({ type, cts, isTest }) => (
                    <>
                      <span class="code">{type}</span> {isTest && <Badge>{t('delivery.test')}</Badge>}
                      <CellNote>{formatMoment(cts)}</CellNote>
                    </>
                  ),
                },
                {
                  label: 'delivery.state',
                  cell: ({ state, error, attempts, dueAt }) => (
                    <>
                      <StateBadge state={state} />
                      {error && <CellNote>{error}</CellNote>}
                      {state === 'queued' && attempts > 0 && (
                        <CellNote>{t('delivery.next', { time: formatMoment(dueAt) })}</CellNote>
                      )}
                    </>
                  ),
                },
                { label: 'webhook.manage', actions },
              ]}
              empty={['delivery.none', 'delivery.noneText']}
            />
          )}
        </Loaded>
      ) : (
        <WebhookDelivery key={opened} id={opened} />
      )}
      <footer class="buttons">
        {opened === null ? (
          <Button text={t('webhook.test')} look="" isBusy={test.isBusy} onClick={test.start} />
        ) : (
          <>
            <Button text={t('delivery.all')} look="secondary outline" onClick={() => setOpened(null)} />
            {again(opened, { text: t('delivery.resend'), look: '' })}
          </>
        )}
      </footer>
    </Dialog>
  );
}
