import { describe, expect, it } from "vitest";
import type { TranscriptSettings } from "../../../../lib/contract/transcript";
import { BackgroundTranscriber } from "../../../engine/agent/background-transcriber";
import type { TranscriptProgress } from "../../../features/transcripts/transcript-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const SETTINGS: TranscriptSettings = {
  title: "Standup",
  wakePhrases: ["hey toolroom"],
  provider: "demo",
  model: "demo",
  instructions: "",
  silenceMs: 1500,
};

const transcriber = new BackgroundTranscriber(SETTINGS, {
  newId: () => "q",
  now: () => 0,
  answer: async () => null,
  onAnswer: () => undefined,
  onError: () => undefined,
}).state;
const progress: TranscriptProgress = { transcriber, heardSeq: 1 };

export function describeTranscriptStore(createDatabase: CreateDatabase): void {
  describe("stored transcripts", () => {
    const database = useDatabase(createDatabase);

    it("AGT-13 settings and progress come back, and of two changes at once one is kept", async () => {
      const store = database().transcripts();
      await store.create({ id: "t_1", createdAt: 1000, settings: SETTINGS });
      const fresh = { id: "t_1", isClosed: false, settings: SETTINGS, progress: null, version: 0 };
      expect(await store.find("t_1")).toEqual(fresh);
      const kept = await Promise.all([store.keep("t_1", 0, progress), store.keep("t_1", 0, progress)]);
      expect(kept.sort()).toEqual([false, true]);
      expect(await store.find("t_1")).toEqual({ ...fresh, progress, version: 1 });
      expect(await store.find("t_2")).toBeNull();
    });
  });
}
