-- AlterTable
ALTER TABLE "Transcript" ADD COLUMN "segmentCount" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "Transcript" ADD COLUMN "characters" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "Transcript" ADD COLUMN "fence" INTEGER NOT NULL DEFAULT 0;

UPDATE "Transcript" SET
  "segmentCount" = (SELECT count(*) FROM "TranscriptSegment" WHERE "transcriptId" = "Transcript"."id"),
  "characters" = (SELECT coalesce(sum(length("text")), 0) FROM "TranscriptSegment" WHERE "transcriptId" = "Transcript"."id");
