import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { formatMoment } from '../format.ts';
import { hrefTo } from '../route.ts';
import { useAction, useQuery, useSession, useText } from '../session.ts';
import { rich, t } from '../text.ts';
import { AS_TYPED, Choice, TextField, optionsOf, textOptions } from './fields.tsx';
import { ActionForm, Confirm, SaveForm, useForm } from './form.tsx';
import { Badge, Button, Card, Empty, Flag, Loaded } from './layout.tsx';

const SECURITIES = optionsOf<gql.MailSecurity>({ starttls: 'mail.starttls', tls: 'mail.tls' });
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
  password: password || undefined,
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
    return t('mail.saved');
  });
  const setPort = (port: string): void => form.set({ port, security: CUSTOM[port] ?? form.draft.security });
  return (
    <SaveForm form={form} label={t('common.save')}>
      <div class="columns">
        <div>
          <TextField
            label={t('mail.host')}
            required
            maxLength={253}
            {...AS_TYPED}
            placeholder="smtp.shop.example"
            {...form.text('host')}
          />
          <div class="field-row">
            <Choice
              label={t('mail.port')}
              options={textOptions([...PORTS, form.draft.port])}
              {...form.text('port')}
              onValue={setPort}
            />
            <Choice
              label={t('mail.security')}
              options={SECURITIES}
              {...form.text('security')}
              hint={t('mail.securityHint')}
            />
          </div>
        </div>
        <div>
          <TextField label={t('mail.user')} required maxLength={320} {...AS_TYPED} {...form.text('user')} />
          <TextField
            label={t('mail.password')}
            type="password"
            required={isNew}
            maxLength={1000}
            autocomplete="new-password"
            placeholder={isNew ? undefined : '••••••••'}
            {...form.text('password')}
            hint={t(isNew ? 'mail.newPassword' : 'mail.keepPassword')}
          />
        </div>
      </div>
    </SaveForm>
  );
}

function TestForm({ from }: { from: string }) {
  const { run } = useSession();
  const to = useText();
  const [result, setResult] = useState<{ isSent: boolean; text: string } | null>(null);
  const test = useAction(async () => {
    setResult(null);
    const address = to.value.trim();
    const { isSent, problem } = (await run(gql.TestMailServerDocument, { to: address })).testMailServer;
    const text = isSent ? t('mail.testSent', { address }) : t(`mail.problem.${problem ?? 'refused'}`);
    setResult({ isSent, text });
  });
  return (
    <ActionForm action={test} label={t('mail.sendTest')} tone="secondary">
      <div class="columns">
        <TextField
          label={t('mail.testTo')}
          name="to"
          problem={t('error.contact.email')}
          type="email"
          required
          placeholder="you@shop.example"
          {...to}
          hint={t('mail.testHint', { from })}
        />
      </div>
      <div role="status">
        {result && <p class={result.isSent ? 'notice' : 'notice bad'}>{result.text}</p>}
      </div>
    </ActionForm>
  );
}

/** The demo store sends no real messages, whatever its settings. */
export const sendsEmail = ({ integrations }: Answered<gql.EmailStateFragment>, isDemo: boolean): boolean =>
  isDemo || integrations.some(({ kind, state }) => kind === 'email' && state === 'active');

function State({ server, isSent }: { server: Server; isSent: boolean }) {
  if (server === null && !isSent) return <Badge tone="warn">{t('integrations.unconfigured')}</Badge>;
  if (server === null) return <Badge>{t('mail.sharedBadge')}</Badge>;
  if (server.problem !== null) return <Badge tone="bad">{t('mail.broken')}</Badge>;
  return <Flag isOn={server.sentAt !== null} texts={['mail.works', 'mail.untested']} />;
}

export function MailServer({ senderAddress }: { senderAddress: string | null }) {
  const { run, isDemo } = useSession();
  const query = useQuery(gql.MailServerDocument, {});
  const server = query.data?.mailServer ?? null;
  const last = server?.sentAt ? t('mail.last', { date: formatMoment(server.sentAt) }) : '';
  const seen = server?.problemAt ? t('mail.lastSeen', { date: formatMoment(server.problemAt) }) : '';
  const isSent = query.data === null || sendsEmail(query.data, isDemo);
  const remove = async () => {
    await run(gql.RemoveMailServerDocument, {});
    return t('mail.removed');
  };
  const ask = (
    <Confirm title={t('mail.removeTitle')} label={t('mail.remove')} onSubmit={remove}>
      {t('mail.removeText')}
    </Confirm>
  );
  const contentOf = (data: NonNullable<typeof query.data>) => {
    if (isDemo) return <Empty title={t('mail.demo')}>{t('mail.demoText')}</Empty>;
    if (senderAddress === null)
      return (
        <Empty title={t('mail.needsSender')}>
          {rich('mail.needsSenderText', {
            link: <a href={hrefTo('settings', 'brand')}>{t('settings.brand')}</a>,
          })}
        </Empty>
      );
    return (
      <>
        {server?.problem && (
          <p class="notice bad">
            {t('mail.retrying', { problem: t(`mail.problem.${server.problem}`), seen })}
          </p>
        )}
        <MailServerForm server={server} onSaved={(mailServer) => query.replace({ ...data, mailServer })} />
        {server && (
          <>
            <hr />
            <TestForm from={senderAddress} />
            <hr />
            <div class="buttons">
              <Button text={t('mail.removeMore')} look="danger outline" opens={ask} />
            </div>
          </>
        )}
      </>
    );
  };
  return (
    <Card
      title={t('settings.mailServer')}
      note={!isDemo && (server ? t('mail.own', { last }) : t(isSent ? 'mail.shared' : 'mail.files'))}
      aside={query.data && !isDemo && <State server={server} isSent={isSent} />}
    >
      <Loaded query={query}>{contentOf}</Loaded>
    </Card>
  );
}
