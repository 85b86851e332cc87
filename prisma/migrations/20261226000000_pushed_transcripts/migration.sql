-- Transcripts get their text over the API only: no watched files, webhooks and leases. Why a query could not be asked moves
-- from the progress of its transcript to the query.
ALTER TABLE "TranscriptQuery" ADD COLUMN "error" TEXT;
UPDATE "TranscriptQuery" SET "error" = (
  SELECT json_extract("progress", '$.faults."' || "TranscriptQuery"."id" || '"') FROM "Transcript"
  WHERE "Transcript"."id" = "TranscriptQuery"."transcriptId" AND json_valid("progress")
);
ALTER TABLE "TranscriptQuery" DROP COLUMN "webhookState";
ALTER TABLE "TranscriptQuery" DROP COLUMN "webhookAttempts";
ALTER TABLE "TranscriptQuery" DROP COLUMN "webhookError";

UPDATE "Transcript" SET "status" = 'closed' WHERE "status" = 'failed';
UPDATE "Transcript" SET "settings" = json_remove("settings", '$.source', '$.webhookUrl', '$.sealedWebhookUrl')
WHERE json_valid("settings");
UPDATE "Transcript" SET "progress" = CASE
  WHEN json_extract("progress", '$.transcriber') IS NULL THEN NULL
  ELSE json_remove("progress", '$.file', '$.faults')
END WHERE json_valid("progress");
ALTER TABLE "Transcript" DROP COLUMN "error";
ALTER TABLE "Transcript" DROP COLUMN "fence";
