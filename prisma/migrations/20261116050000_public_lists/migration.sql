-- A link to a public list names the list alone; private lists cost nothing here, and Prisma cannot say WHERE.
CREATE INDEX "list_public_idx" ON "list" ("lid") WHERE "anon_read";
