import { inLongRun } from '../tier.ts';
import { checkTypes, useCopy } from './copy.ts';

// CONTRIBUTING.md says what a new channel takes. This does that, and nothing else, to a copy of the project.

const copy = useCopy('channel');

const WHATSAPP = `import type { Channel } from './channel.ts';
import { confirmSms } from './confirm.ts';
import { SENT } from './outcome.ts';
import { phone } from './phone.ts';
import { readReply } from './sms-reply.ts';
import { standardSms } from './standard-mail.ts';

type Settings = { token: string };

/** Messages of WhatsApp; those of this walk become files. */
export const whatsapp = {
  label: 'WhatsApp',
  messages: 'WhatsApp messages',
  contact: phone,
  parts: {
    whatsapp: {
      label: 'WhatsApp',
      form: 'short',
      rows: 3,
      standard: standardSms,
    },
  },
  compose: (texts) => ({ text: texts.whatsapp }),
  confirm: (message) => ({ text: confirmSms(message) }),
  settings: { variables: {}, read: (): Settings | null => null },
  provider: { name: 'WhatsApp', describe: () => 'Sends.', hint: 'Set it up to send WhatsApp messages.' },
  together: 5,
  replies: {
    isGenuine: (_settings, { headers }) => headers['x-walk'] === 'genuine',
    read: readReply,
  },
  concurrency: () => 8,
  open: (_settings, files) => ({
    async send({ id, to, payload }) {
      await files.write(\`\${id}.json\`, JSON.stringify({ id, to, ...payload }));
      return SENT;
    },
  }),
} satisfies Channel<'whatsapp', Settings>;
`;

inLongRun(
  'the steps of CONTRIBUTING give people a channel that they confirm, hear and leave by, and whose clicks and orders count',
  async () => {
    copy.write('src/alerts/send/whatsapp.ts', WHATSAPP);
    copy.insert(
      'src/alerts/send/channels.ts',
      /^import \{ sms \} from '\.\/sms\.ts';\n/gm,
      `import { whatsapp } from './whatsapp.ts';`,
    );
    copy.replace('src/alerts/send/channels.ts', /\{ email, sms \}/g, '{ email, sms, whatsapp }');
    await copy.run('tools/generate.mjs');

    await checkTypes(copy);
    await copy.run('--import', 'tsx', 'test/domain/fixtures/new-channel.ts');
  },
);
