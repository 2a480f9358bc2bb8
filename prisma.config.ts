import { defineConfig } from 'prisma/config';

/** The Prisma CLI only generates code here; the service itself applies the migrations at boot. */
export default defineConfig({
  schema: 'prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? 'postgresql://localhost:5432/wishgate' },
});
