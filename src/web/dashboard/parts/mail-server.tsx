import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { formatMoment } from '../format.ts';
import { useAction, useQuery, useSession, useText } from '../session.ts';
import { AS_TYPED, Choice, TextField, optionsOf, textOptions } from './fields.tsx';
import { ActionForm, Confirm, SaveForm, useForm } from './form.tsx';
import { Badge, Button, Card, Empty, Loaded } from './layout.tsx';

const SECURITIES = optionsOf<gql.MailSecurity>({ starttls: 'STARTTLS', tls: 'TLS from the start' });
const PORTS = ['587', '465', '2525', '25'];

type Server = gql.MailServerStateFragment | null;

const draftOf = (server: Server) => ({
  host: server?.host ?? '',
  port: String(server?.port ?? 587),
  security: server?.security ?? ('starttls' as const),
  user: server?.user ?? '',
  password: '',
});

/** An empty password leaves the saved one unchanged. */
const inputOf = ({ host, port, security, user, password }: ReturnType<typeof draftOf>) => ({
  host: host.trim(),
  port: Number(port),
  security,
  user: user.trim(),
  password: password || null,
});

/** The usual encryption of each port. */
const CUSTOM: Record<string, gql.MailSecurity> = { 465: 'tls', 587: 'starttls' };

function MailServerForm({ server, onSaved }: { server: Server; onSaved: (server: Server) => void }) {
  const { run } = useSession();
  const isNew = server === null;
  // Sends all fields, because the service accepts a server only as a whole.
  const form = useForm(draftOf(server), inputOf, async (_changes, draft) => {
    const { setMailServer } = await run(gql.SetMailServerDocument, { input: inputOf(draft) });
    onSaved(setMailServer);
    return 'From now on mails leave by this server. Send a test to see that it takes them.';
  });
  const setPort = (port: string): void => form.set({ port, security: CUSTOM[port] ?? form.draft.security });
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
              options={textOptions([...PORTS, form.draft.port])}
              {...form.text('port')}
              onValue={setPort}
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
            required={isNew}
            maxLength={1000}
            autocomplete="new-password"
            placeholder={isNew ? undefined : '••••••••'}
            {...form.text('password')}
            hint={
              isNew
                ? 'It is stored encrypted and never shown again.'
                : 'Empty: the stored one stays. Another host, port or user needs it again.'
            }
          />
        </div>
      </div>
    </SaveForm>
  );
}

const PROBLEMS: Record<gql.MailProblem, string> = {
  refused: 'The server refused the connection or the mail.',
  unreachable: 'The server cannot be found or reached: check host and port.',
  tls: 'No encrypted connection was made: the server offers none of this kind, or its certificate is not valid for this host.',
  login: 'The server refused the user or password.',
  sender: 'The server refused the sender address: it must be one that this login may send from.',
  address: 'The host does not lead to a public address.',
  timeout: 'The server took too long.',
  locked:
    'This service has lost the key that opens the stored password. Enter the password again, or ask the operator to bring the key back.',
};

function TestForm({ from, onDone }: { from: string; onDone: () => void }) {
  const { run } = useSession();
  const to = useText();
  const [result, setResult] = useState<{ isSent: boolean; text: string } | null>(null);
  const test = useAction(async () => {
    setResult(null);
    const address = to.value.trim();
    const { isSent, problem } = (await run(gql.TestMailServerDocument, { to: address })).testMailServer;
    const taken = `The server took the mail to ${address}. Look into that mailbox.`;
    setResult({ isSent, text: isSent ? taken : PROBLEMS[problem ?? 'refused'] });
    onDone();
  });
  return (
    <ActionForm action={test} label="Send a test" tone="secondary">
      <div class="columns">
        <TextField
          label="Test it with a mail to"
          name="to"
          type="email"
          required
          placeholder="you@shop.example"
          {...to}
          hint={`It comes from ${from}, as all mails do, by the server that is saved.`}
        />
      </div>
      <div role="status">
        {result && <p class={result.isSent ? 'notice' : 'notice bad'}>{result.text}</p>}
      </div>
    </ActionForm>
  );
}

function stateOf(server: Server): { note: string; badge: VNode } {
  if (server === null)
    return {
      note: 'Mails leave by the server of this service until you set one of your own.',
      badge: <Badge>the service's server</Badge>,
    };
  const { problem, sentAt } = server;
  const last = sentAt === null ? '' : ` The last one left ${formatMoment(sentAt)}.`;
  const works = sentAt === null ? <Badge>not tried yet</Badge> : <Badge tone="good">works</Badge>;
  return {
    note: `All mails leave by your own server, from your own address.${last}`,
    badge: problem === null ? works : <Badge tone="bad">does not work</Badge>,
  };
}

export function MailServer({ senderAddress }: { senderAddress: string | null }) {
  const { run } = useSession();
  const query = useQuery(gql.MailServerDocument, {});
  const server = query.data?.mailServer ?? null;
  const { note, badge } = stateOf(server);
  const remove = async () => {
    await run(gql.RemoveMailServerDocument, {});
    query.reload();
    return 'The mail server is removed.';
  };
  const ask = (
    <Confirm title="Remove the mail server?" label="Remove" onSubmit={remove}>
      Mails leave by the server of this service again, also those that wait, and the password is deleted.
    </Confirm>
  );
  const contentOf = ({ store }: NonNullable<typeof query.data>) => {
    if (store.isDemo)
      return (
        <Empty title="The demo store has no mail server of its own">
          What it sends never leaves this machine. A store of your own can have one.
        </Empty>
      );
    if (senderAddress === null)
      return (
        <Empty title="First set the sender address">
          Mails by your own server come from the sender address of the store; it is among the brand settings
          on this page. Until then mails leave by the server of this service.
        </Empty>
      );
    return (
      <>
        {server?.problem && (
          <p class="notice bad">
            {PROBLEMS[server.problem]} Mails of this store wait and are tried again, for about seven hours
            each; none leaves by another server.
            {server.problemAt !== null && ` Last seen ${formatMoment(server.problemAt)}.`}
          </p>
        )}
        <MailServerForm server={server} onSaved={(mailServer) => query.replace({ store, mailServer })} />
        {server && (
          <>
            <hr />
            <TestForm from={senderAddress} onDone={query.reload} />
            <hr />
            <div class="buttons">
              <Button text="Remove mail server…" look="danger outline" opens={ask} />
            </div>
          </>
        )}
      </>
    );
  };
  return (
    <Card title="Mail server" note={note} aside={query.data && !query.data.store.isDemo && badge}>
      <Loaded query={query}>{contentOf}</Loaded>
    </Card>
  );
}
