import type { PoolClient } from 'pg';
import type { TestService } from './harness.ts';

/** Does something on every connection that a service has open, when none is in use. */
export async function onEachConnection<Result>(
  { services }: TestService,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result[]> {
  const { pool } = services.db;
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  try {
    return await Promise.all(clients.map(work));
  } finally {
    for (const client of clients) client.release();
  }
}
