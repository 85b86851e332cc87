import { beforeEach, describe, expect, it } from "vitest";
import type { TranscriptSettings } from "../../../../lib/contract/transcript";
import { BackgroundTranscriber } from "../../../engine/agent/background-transcriber";
import type {
  AddedSegments,
  NewQuery,
  TranscriptProgress,
  TranscriptStore,
} from "../../../features/transcripts/transcript-store";
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

const query = (id: string): NewQuery => ({
  id,
  text: `Question ${id}`,
  wakePhrase: "hey toolroom",
  speaker: "Ada",
  fromSeq: 1,
  toSeq: 2,
  askedAt: 3000,
});

const LIMITS = { segments: 100, characters: 1000 };

const adding = (...texts: string[]): AddedSegments => ({
  segments: texts.map((text) => ({ text })),
  receivedAt: 1500,
  limits: LIMITS,
});

export function describeTranscriptStore(createDatabase: CreateDatabase): void {
  describe("stored transcripts", () => {
    const database = useDatabase(createDatabase);
    let store: TranscriptStore;
    beforeEach(async () => {
      store = database().transcripts();
      await store.create({ id: "t_1", createdAt: 1000, settings: SETTINGS });
      await store.create({ id: "t_2", createdAt: 2000, settings: { ...SETTINGS, title: "Retro" } });
    });

    it("AGT-13 settings, segments and progress come back after a restart", async () => {
      const segments = [{ text: "Hello 😀", speaker: "Ada", atMs: 0.5 }, { text: "Bye" }];
      const appended = await store.append("t_1", { segments, receivedAt: 1500, limits: LIMITS });
      await store.keep("t_1", progress, []);
      expect(appended?.map(({ text, speaker, atMs, receivedAt }) => [text, speaker, atMs, receivedAt])).toEqual([
        ["Hello 😀", "Ada", 0.5, 1500],
        ["Bye", null, null, 1500],
      ]);
      await database().restart();
      store = database().transcripts();
      expect(await store.find("t_1")).toMatchObject({
        settings: SETTINGS,
        progress,
        status: "open",
        characters: 11,
      });
      expect(await store.segments("t_1", 10)).toEqual(appended);
      expect(await store.find("t_3")).toBeNull();
    });

    it("AGT-13 segments are read oldest first: the newest few, up to one, and after one", async () => {
      const seqs = (await store.append("t_1", adding("a", "b", "c", "d")))?.map(({ seq }) => seq) ?? [];
      await store.append("t_2", adding("other"));
      expect(seqs).toEqual(seqs.toSorted((left, right) => left - right));
      const listTexts = (found: { text: string }[]) => found.map(({ text }) => text);
      expect(listTexts(await store.segments("t_1", 2))).toEqual(["c", "d"]);
      expect(listTexts(await store.segments("t_1", 2, seqs[1]))).toEqual(["a", "b"]);
      expect(listTexts(await store.segmentsAfter("t_1", seqs[0] ?? 0, 2))).toEqual(["b", "c"]);
    });

    it("AGT-13 the list is newest first with counts, and a closed transcript is no longer open", async () => {
      await store.append("t_1", adding("a", "b"));
      await store.keep("t_1", progress, [query("q_1")]);
      expect(await store.list()).toMatchObject([
        { id: "t_2", segmentCount: 0, queryCount: 0 },
        { id: "t_1", segmentCount: 2, queryCount: 1 },
      ]);
      expect([await store.countQueries("t_1"), await store.countOpen()]).toEqual([1, 2]);
      await store.keep("t_2", progress, [], 4000);
      expect([await store.countOpen(), await store.unfinished()]).toEqual([1, [{ id: "t_1", owner: "local" }]]);
      await store.keep("t_1", progress, [], 5000);
      expect([await store.countOpen(), await store.unfinished()]).toEqual([0, [{ id: "t_1", owner: "local" }]]);
      expect(await store.find("t_2")).toMatchObject({ status: "closed", closedAt: 4000 });
    });

    it("AGT-13 segments are added to an open transcript, up to its limits and until it is closed", async () => {
      const limits = { segments: 2, characters: 5 };
      expect(await store.append("t_1", { ...adding("abc"), limits })).toHaveLength(1);
      expect(await store.append("t_1", { ...adding("abc"), limits })).toBeNull();
      expect(await store.append("t_1", { ...adding("d", "e"), limits })).toBeNull();
      expect(await store.append("t_1", { ...adding("de"), limits })).toHaveLength(1);
      expect(await store.append("t_3", adding("a"))).toBeNull();
      await store.keep("t_2", progress, [], 4000);
      expect(await store.append("t_2", adding("a"))).toBeNull();
      expect(await database().count("TranscriptSegment")).toBe(2);
    });

    it("AGT-13 a deleted transcript takes its segments and queries with it, and no other's", async () => {
      for (const id of ["t_1", "t_2"]) {
        await store.append(id, adding(id));
        await store.keep(id, progress, [query(`q_of_${id}`)]);
      }
      await store.delete("t_1");
      expect(await store.find("t_1")).toBeNull();
      expect([await database().count("TranscriptSegment"), await database().count("TranscriptQuery")]).toEqual([1, 1]);
    });
  });
}

export function describeTranscriptQueries(createDatabase: CreateDatabase): void {
  describe("stored queries of transcripts", () => {
    const database = useDatabase(createDatabase);
    let store: TranscriptStore;
    beforeEach(async () => {
      store = database().transcripts();
      await store.create({ id: "t_1", createdAt: 1000, settings: SETTINGS });
      await store.keep("t_1", progress, [query("q_1"), query("q_2")]);
    });

    const find = async (id: string) => (await store.queries("t_1")).find((each) => each.id === id);
    const settle = (id: string, answer: string | null, now: number, error: string | null = null) =>
      store.setOutcome(id, { answer, error, now });

    it("AGT-13 are oldest first", async () => {
      const none = { answer: null, runId: null, runStatus: null, error: null };
      expect(await store.queries("t_1")).toMatchObject([
        { ...query("q_1"), ...none },
        { ...query("q_2"), ...none },
      ]);
    });

    it("AGT-13 are found by their run, and unanswered until they have an outcome", async () => {
      expect(await store.claim("q_1", "run_1")).toBe(true);
      expect([await store.claim("q_1", "run_2"), await store.claim("q_1", "run_1")]).toEqual([false, true]);
      expect(await store.queryOfRun("run_1")).toMatchObject({ id: "q_1" });
      const unanswered = async () => (await store.unanswered("t_1")).map(({ id }) => id);
      expect([await unanswered(), await store.unanswered("t_2")]).toEqual([["q_1", "q_2"], []]);
      expect(await settle("q_1", "42", 5000)).toBe("t_1");
      const later = [settle("q_1", "43", 6000), settle("q_1", null, 6000), settle("q_3", "42", 5000)];
      expect(await Promise.all(later)).toEqual([null, null, null]);
      expect(await store.claim("q_1", "run_1")).toBe(false);
      expect(await unanswered()).toEqual(["q_2"]);
      expect(await find("q_1")).toMatchObject({ answer: "42", answeredAt: 5000, runId: "run_1" });
    });

    it("AGT-13 that could not be asked are settled without a run, and say why", async () => {
      await store.claim("q_1", "run_1");
      expect(await settle("q_1", null, 5000, "No key")).toBe("t_1");
      expect(await find("q_1")).toMatchObject({ runId: null, answeredAt: 5000, error: "No key" });
      expect(await settle("q_1", null, 6000, "No key")).toBeNull();
    });

    it("AGT-13 have answers in the order in which they were stored, whatever the clocks say", async () => {
      await settle("q_1", "1", 5000);
      await settle("q_2", "2", 4000);
      const answersAfter = async (time: number) => (await store.answersAfter("t_1", time)).map(({ answer }) => answer);
      expect([await answersAfter(0), await answersAfter(5000), await answersAfter(5001)]).toEqual([
        ["1", "2"],
        ["2"],
        [],
      ]);
    });

    it("AGT-13 settle each outcome once: a failure may still be followed by an answer", async () => {
      const failures = await Promise.all([settle("q_1", null, 5000), settle("q_1", null, 5000)]);
      const answers = await Promise.all([settle("q_1", "42", 5000), settle("q_1", "42", 5000)]);
      expect([failures, answers]).toEqual([
        ["t_1", null],
        ["t_1", null],
      ]);
      expect(await find("q_1")).toMatchObject({ answer: "42" });
    });
  });
}
