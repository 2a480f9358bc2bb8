import { useState } from 'preact/hooks';
import { SaveWebhookDocument } from '../../../generated/dashboard.ts';
import { useAction, useSession } from '../session.ts';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';
import { ActionForm } from './form.tsx';
import { SecretDialog } from './secret.tsx';

type Props = {
  /** What there is to be told of. */
  types: readonly string[];
  /** Null adds a new one. */
  webhook: { id: string; url: string; events: string[] } | null;
  onClose: () => void;
  onSaved: () => void;
};

/** Adds or changes a webhook; a new one's secret is shown this once. */
export function WebhookForm({ types, webhook, onClose, onSaved }: Props) {
  const { run, notify } = useSession();
  const [url, setUrl] = useState(webhook?.url ?? '');
  const [events, setEvents] = useState(webhook?.events ?? ['alert.failed', 'product.restocked']);
  const [secret, setSecret] = useState<string | null>(null);
  const save = useAction(async () => {
    const { saveWebhook } = await run(SaveWebhookDocument, {
      id: webhook?.id ?? null,
      url: url.trim(),
      events,
    });
    onSaved();
    if (saveWebhook.secret) return setSecret(saveWebhook.secret);
    notify('The webhook is saved.');
    onClose();
  });
  const toggle = (event: string, isOn: boolean): void =>
    setEvents(types.filter((name) => (name === event ? isOn : events.includes(name))));
  if (secret !== null) {
    return (
      <SecretDialog title="The webhook is added" label="Signing secret" secret={secret} onClose={onClose} />
    );
  }
  return (
    <Dialog title={webhook ? 'Edit webhook' : 'Add webhook'} onClose={onClose}>
      <ActionForm
        action={save}
        label={webhook ? 'Save webhook' : 'Add'}
        isBlocked={events.length === 0}
        onCancel={onClose}
      >
        <TextField
          label="Address"
          name="url"
          type="url"
          required
          value={url}
          onValue={setUrl}
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
      </ActionForm>
    </Dialog>
  );
}
