import { SetMailServerDocument } from '../../../generated/dashboard.ts';
import type { MailSecurity, MailServerInput, MailServerStateFragment } from '../../../generated/dashboard.ts';
import { useSession } from '../session.ts';
import { AS_TYPED, Choice, TextField } from './fields.tsx';
import { SaveForm, useForm } from './form.tsx';

const SECURITIES: { value: MailSecurity; label: string }[] = [
  { value: 'starttls', label: 'STARTTLS' },
  { value: 'tls', label: 'TLS from the start' },
];
const PORTS = ['587', '465', '2525', '25'];

type Draft = { host: string; port: string; security: MailSecurity; user: string; password: string };

const draftOf = (server: MailServerStateFragment | null): Draft => ({
  host: server?.host ?? '',
  port: String(server?.port ?? 587),
  security: server?.security ?? 'starttls',
  user: server?.user ?? '',
  password: '',
});

/** A password that is left empty stays as it is. */
const inputOf = (draft: Draft): MailServerInput => ({
  host: draft.host.trim(),
  port: Number(draft.port),
  security: draft.security,
  user: draft.user.trim(),
  password: draft.password || null,
});

/** The usual encryption of a port. */
const CUSTOM: Record<string, MailSecurity> = { 465: 'tls', 587: 'starttls' };

export function MailServerForm({
  server,
  onSaved,
}: {
  server: MailServerStateFragment | null;
  onSaved: (server: MailServerStateFragment) => void;
}) {
  const { run, notify } = useSession();
  const form = useForm({
    saved: draftOf(server),
    inputOf,
    // All of it: the service takes a server as a whole.
    save: async () => {
      const { setMailServer } = await run(SetMailServerDocument, { input: inputOf(form.draft) });
      onSaved(setMailServer);
      notify('From now on mails leave by this server. Send a test to see that it takes them.');
    },
  });
  const ports = [...new Set([...PORTS, form.draft.port])];
  return (
    <SaveForm form={form} label="Save mail server">
      <div class="columns">
        <div>
          <TextField
            label="Host"
            required
            maxLength={253}
            {...AS_TYPED}
            placeholder="smtp.shop.example"
            {...form.text('host')}
          />
          <div class="field-row">
            <Choice
              label="Port"
              options={ports.map((port) => ({ value: port, label: port }))}
              {...form.text('port')}
              onValue={(port) => form.set({ port, security: CUSTOM[port] ?? form.draft.security })}
            />
            <Choice
              label="Encryption"
              options={SECURITIES}
              {...form.text('security')}
              hint="Nothing is sent without."
            />
          </div>
        </div>
        <div>
          <TextField label="User" required maxLength={320} {...AS_TYPED} {...form.text('user')} />
          <TextField
            label="Password"
            type="password"
            required={server === null}
            maxLength={1000}
            autocomplete="new-password"
            placeholder={server === null ? undefined : '••••••••'}
            {...form.text('password')}
            hint={
              server === null
                ? 'It is stored encrypted and never shown again.'
                : 'Empty: the stored one stays. Another host, port or user needs it again.'
            }
          />
        </div>
      </div>
    </SaveForm>
  );
}
