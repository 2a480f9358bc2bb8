import { useState } from 'preact/hooks';
import { SaveWebhookDocument } from '../../../generated/dashboard.ts';
import { useSession, useText } from '../session.ts';
import { TextField } from './fields.tsx';
import { FormDialog } from './form-dialog.tsx';
import { SecretDialog } from './secret.tsx';

type Props = {
  /** The events that there are. */
  types: readonly string[];
  webhook?: { id: string; url: string; events: string[] };
  onSaved: () => void;
};

/** Adds or changes a webhook; the secret of a new one is shown only once. */
export function WebhookForm({ types, webhook, onSaved }: Props) {
  const { run, notify } = useSession();
  const url = useText(webhook?.url ?? '');
  const [events, setEvents] = useState(webhook?.events ?? ['alert.failed', 'product.restocked']);
  const save = async () => {
    const input = { id: webhook?.id ?? null, url: url.value.trim(), events };
    const { secret } = (await run(SaveWebhookDocument, input)).saveWebhook;
    onSaved();
    if (secret) return <SecretDialog title="The webhook is added" label="Signing secret" secret={secret} />;
    return notify('The webhook is saved.');
  };
  const toggle = (event: string, isOn: boolean): void =>
    setEvents(types.filter((name) => (name === event ? isOn : events.includes(name))));
  return (
    <FormDialog
      title={webhook ? 'Edit webhook' : 'Add webhook'}
      label={webhook ? 'Save webhook' : 'Add'}
      isBlocked={events.length === 0}
      onSubmit={save}
    >
      <TextField
        label="Address"
        name="url"
        type="url"
        required
        {...url}
        placeholder="https://shop.example/hooks/wishgate"
        autocomplete="off"
      />
      <fieldset>
        <legend>Events</legend>
        {types.map((event) => (
          <label key={event}>
            <input
              type="checkbox"
              checked={events.includes(event)}
              onChange={(change) => toggle(event, change.currentTarget.checked)}
            />
            <span class="code">{event}</span>
          </label>
        ))}
      </fieldset>
    </FormDialog>
  );
}
