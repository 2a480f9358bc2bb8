import type { MailConfig, SmsConfig } from '../../config.ts';
import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';

/** A provider as a merchant sees it; it never holds a user name, password or token. */
export type IntegrationRow = {
  name: string;
  kind: 'email' | 'sms' | 'file';
  state: 'active' | 'standby' | 'unconfigured';
  detail: string;
};

const DEMO_NOTE = ' The demo store never sends to real people.';

function mailDetail({ smtpUrl, from, dkim }: MailConfig): string {
  const signed = dkim ? `, signed by DKIM for ${dkim.domainName}` : '';
  // `host` leaves out the login that the address holds.
  return `Sends from ${from} by ${new URL(smtpUrl).host}${signed}.`;
}

function smsDetail({ baseUrl, from }: SmsConfig): string {
  return `Sends from ${from} by ${new URL(baseUrl).host}.`;
}

function stateOf(isSetUp: boolean, isDemo: boolean): IntegrationRow['state'] {
  if (!isSetUp) return 'unconfigured';
  return isDemo ? 'standby' : 'active';
}

function fileRow(mediums: string[], isDemo: boolean): IntegrationRow {
  const base = { name: 'File outbox', kind: 'file' as const };
  if (mediums.length === 0) {
    return { ...base, state: 'standby', detail: 'Takes over for a medium that has no provider.' };
  }
  const note = isDemo ? DEMO_NOTE : '';
  return {
    ...base,
    state: 'active',
    detail: `Keeps ${mediums.join(' and ')} as files in DATA_DIR/outbox.${note}`,
  };
}

/** Every provider that the service supports, with its state for the calling store. */
export function getIntegrations(ctx: Context): IntegrationRow[] {
  const { isDemo } = requireStore(ctx);
  const { mail, sms } = ctx.config;
  const toFiles = [...(mail && !isDemo ? [] : ['e-mails']), ...(sms && !isDemo ? [] : ['text messages'])];
  return [
    {
      name: 'SMTP',
      kind: 'email',
      state: stateOf(mail !== null, isDemo),
      detail: mail ? mailDetail(mail) : 'Set SMTP_URL and MAIL_FROM to send e-mails.',
    },
    {
      name: 'SMS over HTTP (Twilio API)',
      kind: 'sms',
      state: stateOf(sms !== null, isDemo),
      detail: sms
        ? smsDetail(sms)
        : 'Set SMS_BASE_URL, SMS_ACCOUNT, SMS_TOKEN and SMS_FROM to send text messages.',
    },
    fileRow(toFiles, isDemo),
  ];
}
