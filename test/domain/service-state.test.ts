import { noteKeyIds, readServiceSecret, setServiceMaintenance } from '../../src/stores/store.repo.ts';
import { useService } from '../harness.ts';

// Of its own: it deletes what concerns every store.
const service = useService({});

test('processes that start at once on a new database create its state once', async () => {
  const { db } = service.services;
  for (let round = 0; round < 5; round += 1) {
    await db.query('DELETE FROM service_state');
    const secrets = Array.from({ length: 4 }, () => readServiceSecret(db));
    const others = Array.from({ length: 4 }, () => [noteKeyIds(db, ['k']), setServiceMaintenance(db, false)]);
    await Promise.all(others.flat());
    const texts = (await Promise.all(secrets)).map((secret) => Buffer.from(secret).toString('hex'));
    expect(new Set(texts).size).toBe(1);
  }
});
