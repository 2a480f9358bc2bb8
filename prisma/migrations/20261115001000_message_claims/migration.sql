-- Which claim a message is under. It never starts again, unlike the tries of a delivery that is replayed.
ALTER TABLE "outbox" ADD COLUMN "claim" INTEGER NOT NULL DEFAULT 0;
