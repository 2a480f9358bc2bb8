import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MEDIA } from '../../src/alerts/send/channels.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Files beside the channels that name a medium, and why. */
const NAMED: Record<string, string> = {
  'packages/client/src/alerts.ts': "the default of the browser library, and the account's own address",
  'src/lists/share.service.ts': 'a list is shared by email',
  'src/alerts/topics/topic.service.ts': 'the documented default of a test send',
  'src/web/demo-shop/views.tsx': 'the demo shop says how an alert is sent',
  'src/web/demo-store/outbox.ts': 'the files of the demo store: emails and SMS',
  'src/web/site/docs/prepare.ts': 'an example',
  'src/api/pages/graphiql-tabs.ts': 'the example of "notify me"',
};

/** `medium === 'sms'`, `medium: 'sms'`, `medium = 'sms'` in SQL, `channelOf('sms')`. */
const NAMING = new RegExp(`\\b(medium\\b|channelOf\\()[^\\n'"]{0,12}['"](${MEDIA.join('|')})['"]`, 'i');

test('everything goes over the table of channels: no medium is named elsewhere, but for those with a reason', () => {
  const files = ['src', 'packages']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
        (path) => `${folder}/${path}`,
      ),
    )
    .filter((path) => /\.tsx?$/.test(path) && !/^src\/(alerts\/send|generated)\/|\/dist\//.test(path))
    .filter((path) => NAMING.test(readFileSync(join(ROOT, path), 'utf8')));
  expect(files.sort()).toEqual(Object.keys(NAMED).sort());
});
