import { transcriptSettingsSchema } from "../../../../lib/contract/transcript";
import type { Database } from "../../../platform/db/database";
import type { Transcript } from "../../../platform/db/generated/client";
import type { TranscriptProgress, TranscriptRecord, TranscriptStore } from "../transcript-store";

export function createTranscriptStore({ db }: { db: Database }): TranscriptStore {
  const { transcript } = db.prisma;
  return {
    async create({ id, createdAt, settings }) {
      const data = { id, title: settings.title, status: "open", createdAt: BigInt(createdAt) };
      await db.write(() => transcript.create({ data: { ...data, settings: JSON.stringify(settings) } }));
    },
    async find(id) {
      const row = await transcript.findUnique({ where: { id } });
      return row === null ? null : db.damaged.read("transcript", id, () => toRecord(row));
    },
    async keep(id, version, progress) {
      const where = { id, status: "open", segmentCount: version };
      const data = { progress: JSON.stringify(progress), segmentCount: { increment: 1 } };
      return (await db.write(() => transcript.updateMany({ where, data }))).count === 1;
    },
  };
}

function toRecord({ id, status, settings, progress, segmentCount }: Transcript): TranscriptRecord {
  return {
    id,
    isClosed: status !== "open",
    settings: transcriptSettingsSchema.parse(JSON.parse(settings)),
    progress: progress === null ? null : (JSON.parse(progress) as TranscriptProgress),
    version: segmentCount,
  };
}
