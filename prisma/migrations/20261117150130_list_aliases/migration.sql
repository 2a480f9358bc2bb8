-- The lid of a list that a login joined to another one goes on to name the joined list; a deleted list keeps its aliases until it is back.

-- AlterTable
ALTER TABLE "deleted_list" ADD COLUMN     "aliases" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "list_alias" (
    "pid" TEXT NOT NULL,
    "alias" TEXT NOT NULL,
    "lid" TEXT NOT NULL,

    CONSTRAINT "list_alias_pkey" PRIMARY KEY ("pid","alias")
);

-- CreateIndex
CREATE INDEX "list_alias_pid_lid_idx" ON "list_alias"("pid", "lid");

-- CreateIndex
CREATE INDEX "list_alias_alias_idx" ON "list_alias"("alias");

-- AddForeignKey
ALTER TABLE "list_alias" ADD CONSTRAINT "list_alias_pid_lid_fkey" FOREIGN KEY ("pid", "lid") REFERENCES "list"("pid", "lid") ON DELETE CASCADE ON UPDATE CASCADE;
