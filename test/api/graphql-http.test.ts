import { serverAudits } from 'graphql-http';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const audits = serverAudits({ url: () => `${service.url}/graphql`, fetchFn: fetch });

test('all 61 audits of GraphQL over HTTP are run', () => {
  expect(audits).toHaveLength(61);
});

test.each(audits.map((audit) => [audit.id, audit.name, audit.fn] as const))(
  'audit %s: %s',
  async (_id, name, run) => {
    const result = await run();
    const reason = 'reason' in result ? result.reason : '';
    // A notice is about what a server MAY do: GETs without a preflight are refused here, against cross-site requests.
    expect([name, reason, ['ok', 'notice']]).toEqual([name, reason, expect.arrayContaining([result.status])]);
  },
);
