import { useState } from 'preact/hooks';
import { AudienceDocument, SendTestAlertDocument } from '../../../generated/dashboard.ts';
import type { ChannelFieldsFragment, TopicFieldsFragment } from '../../../generated/dashboard.ts';
import { formatNumber } from '../format.ts';
import { useAction, useQuery, useSession } from '../session.ts';
import { Loaded } from './feedback.tsx';
import { Choice, TextField } from './fields.tsx';
import { ActionForm } from './form.tsx';
import { Card } from './layout.tsx';
import { SendNow, inSentence } from './topic-send-now.tsx';

type Channels = { channels: ChannelFieldsFragment[] };

function Audience({ topic, channels }: { topic: string } & Channels) {
  const audience = useQuery(AudienceDocument, { topic });
  return (
    <Loaded query={audience} lines={1}>
      {({ audience: { count, media } }) => (
        <p>
          <strong class="chart-total">{formatNumber(count)}</strong>
          <br />
          <span class="muted">
            {channels
              .map(({ medium, label }) => {
                const own = media.find((entry) => entry.medium === medium)?.count ?? 0;
                return `${formatNumber(own)} by ${inSentence(label)}`;
              })
              .join(', ')}
          </span>
        </p>
      )}
    </Loaded>
  );
}

function TestSend({ topic, channels, isChanged }: { topic: string; isChanged: boolean } & Channels) {
  const { run, notify } = useSession();
  const [medium, setMedium] = useState(channels[0]!.medium);
  const channel = channels.find((one) => one.medium === medium)!;
  const [value, setValue] = useState('');
  const send = useAction(async () => {
    await run(SendTestAlertDocument, { topic, medium, to: value.trim() });
    notify(`A test message is on its way to ${value.trim()}.`);
  });
  return (
    <Card
      title="Send a test"
      note={isChanged ? 'Sends what is saved, without your changes.' : 'To yourself, with a sample product.'}
    >
      <ActionForm action={send} label="Send test" tone="secondary">
        <div class="field-row">
          <Choice
            label="By"
            value={medium}
            options={channels.map((one) => ({ value: one.medium, label: one.label }))}
            onValue={setMedium}
          />
          <TextField
            label={channel.contactLabel}
            name="to"
            required
            autocomplete="off"
            placeholder={channel.contactSample}
            value={value}
            onValue={setValue}
          />
        </div>
      </ActionForm>
    </Card>
  );
}

export function TopicSend({
  topic: { name },
  channels,
  isChanged,
}: Channels & {
  topic: TopicFieldsFragment;
  isChanged: boolean;
}) {
  return (
    <div class="columns thirds">
      <Card title="Audience" note="Confirmed subscriptions that wait for this topic.">
        <Audience topic={name} channels={channels} />
      </Card>
      <TestSend topic={name} channels={channels} isChanged={isChanged} />
      <SendNow topic={name} channels={channels} isChanged={isChanged} />
    </div>
  );
}
