import { useState } from 'preact/hooks';
import { AudienceDocument, SendTestAlertDocument, TriggerTopicDocument } from '../../generated/dashboard.ts';
import type { TopicFieldsFragment } from '../../generated/dashboard.ts';
import { formatNumber, linesOf, plural } from '../format.ts';
import { useAction, useQuery, useSession } from '../session.ts';
import { Confirm } from './confirm.tsx';
import { Failure, Loaded } from './feedback.tsx';
import { Choice, TextField } from './fields.tsx';
import { Card } from './layout.tsx';

const MEDIA = [
  { value: 'email', label: 'E-mail' },
  { value: 'sms', label: 'SMS' },
];

function Audience({ topic }: { topic: string }) {
  const audience = useQuery(AudienceDocument, { topic });
  return (
    <Loaded query={audience} lines={1}>
      {({ audience: { count, email, sms } }) => (
        <p>
          <strong class="chart-total">{formatNumber(count)}</strong>
          <br />
          <span class="muted">
            {formatNumber(email)} by e-mail, {formatNumber(sms)} by SMS
          </span>
        </p>
      )}
    </Loaded>
  );
}

function TestSend({ topic, isChanged }: { topic: string; isChanged: boolean }) {
  const { run, notify } = useSession();
  const [medium, setMedium] = useState('email');
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
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send.start();
        }}
      >
        <div class="field-row">
          <Choice label="By" value={medium} options={MEDIA} onValue={setMedium} />
          <TextField
            label={medium === 'email' ? 'E-mail address' : 'Phone number'}
            required
            autocomplete="off"
            placeholder={medium === 'email' ? 'you@shop.example' : '+1 415 555 2671'}
            value={value}
            onValue={setValue}
          />
        </div>
        <Failure error={send.error} />
        <button type="submit" class="secondary" disabled={send.isBusy} aria-busy={send.isBusy}>
          Send test
        </button>
      </form>
    </Card>
  );
}

function Trigger({ topic }: { topic: string }) {
  const { run, notify } = useSession();
  const [text, setText] = useState('');
  const [isAsking, setAsking] = useState(false);
  const epis = linesOf(text);
  return (
    <Card
      title="Send now"
      note="Alerts everybody who is subscribed to this topic for these variants, whatever the stock."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setAsking(true);
        }}
      >
        <TextField
          label="Variant ids"
          required
          value={text}
          onValue={setText}
          autocomplete="off"
          hint="One, or several with commas between."
        />
        <button type="submit" class="secondary" disabled={epis.length === 0}>
          Send now…
        </button>
      </form>
      {isAsking && (
        <Confirm
          title={`Send ${topic} now?`}
          action="Send"
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            const { triggerTopic } = await run(TriggerTopicDocument, { topic, epis });
            notify(
              triggerTopic.opened === 0
                ? 'Nobody waits for these variants.'
                : `On its way to ${plural(triggerTopic.audience, 'subscriber')}.`,
            );
            setAsking(false);
            setText('');
          }}
        >
          Subscribers of {plural(epis.length, 'variant')} are written to. Messages that are out cannot be
          called back.
        </Confirm>
      )}
    </Card>
  );
}

/** Who a topic reaches, a test to oneself, and a send by hand. */
export function TopicSend({
  topic: { name },
  isChanged,
}: {
  topic: TopicFieldsFragment;
  isChanged: boolean;
}) {
  return (
    <div class="columns thirds">
      <Card title="Audience" note="Confirmed subscriptions that wait for this topic.">
        <Audience topic={name} />
      </Card>
      <TestSend topic={name} isChanged={isChanged} />
      <Trigger topic={name} />
    </div>
  );
}
