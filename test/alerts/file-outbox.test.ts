import { openFileOutbox } from '../../src/alerts/send/file.ts';
import { createLogger } from '../../src/platform/log.ts';

test('where no folder can be made, a message that would become a file fails instead of waiting for ever', async () => {
  const outbox = openFileOutbox('/proc/nope', createLogger('silent'));
  await expect(outbox.write('one.eml', 'text')).rejects.toMatchObject({ code: 'ENOENT' });
});
