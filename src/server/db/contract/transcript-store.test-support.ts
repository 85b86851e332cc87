import { beforeEach, describe, expect, it } from "vitest";
import type { TranscriptSettings } from "../../../lib/contract";
import type { TranscriptProgress } from "../../features/transcripts/transcript-record";
import type {
  AddedSegments,
  ListenerState,
  NewQuery,
  TranscriptEnd,
  TranscriptStore,
} from "../../features/transcripts/transcript-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const SETTINGS: TranscriptSettings = {
  title: "Standup",
  source: { kind: "push" },
  wakePhrases: ["hey toolroom"],
  provider: "demo",
  model: "demo",
  instructions: "",
  silenceMs: 1500,
};

const progress = (changes: Partial<TranscriptProgress> = {}): TranscriptProgress => ({
  file: { file: "1:2", offset: 10, head: "aGVhZA==" },
  transcriber: null,
  heardSeq: 1,
  faults: {},
  ...changes,
});

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

/** The state of a process that listens. */
const listening = (fence = 0, changes?: Partial<TranscriptProgress>): ListenerState => ({
  fence,
  progress: progress(changes),
});

const closing: TranscriptEnd = { status: "closed", error: null, closedAt: 4000 };

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
      const appended = await store.append("t_1", {
        ...{ segments, receivedAt: 1500, limits: LIMITS, listener: listening() },
      });
      expect(appended?.map(({ text, speaker, atMs, receivedAt }) => [text, speaker, atMs, receivedAt])).toEqual([
        ["Hello 😀", "Ada", 0.5, 1500],
        ["Bye", null, null, 1500],
      ]);
      await database().restart();
      store = database().transcripts();
      expect(await store.find("t_1")).toMatchObject({
        settings: SETTINGS,
        progress: progress(),
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
      const textsOf = (found: { text: string }[]) => found.map(({ text }) => text);
      expect(textsOf(await store.segments("t_1", 2))).toEqual(["c", "d"]);
      expect(textsOf(await store.segments("t_1", 2, seqs[1]))).toEqual(["a", "b"]);
      expect(textsOf(await store.segmentsAfter("t_1", seqs[0] ?? 0, 2))).toEqual(["b", "c"]);
    });

    it("AGT-13 the list is newest first with counts, and a closed transcript is no longer open", async () => {
      await store.append("t_1", adding("a", "b"));
      await store.keep("t_1", listening(), [query("q_1")]);
      await store.setTrouble("t_2", 0, "The file is missing");
      expect(await store.list()).toMatchObject([
        { id: "t_2", error: "The file is missing", segmentCount: 0, queryCount: 0 },
        { id: "t_1", error: null, segmentCount: 2, queryCount: 1 },
      ]);
      expect([await store.countQueries("t_1"), await store.countOpen()]).toEqual([1, 2]);
      expect(await store.keep("t_2", listening(), [], closing)).toBe(true);
      await store.setTrouble("t_2", 0, "too late");
      expect([await store.countOpen(), await store.unfinished()]).toEqual([1, [{ id: "t_1", status: "open" }]]);
      expect(await store.find("t_2")).toMatchObject({ status: "closed", error: null, closedAt: 4000 });
    });

    it("AGT-13 any process adds to an open transcript, up to its limits and until it is closed", async () => {
      const limits = { segments: 2, characters: 5 };
      const other = database().transcripts();
      expect(await store.append("t_1", { ...adding("abc"), limits })).toHaveLength(1);
      expect(await other.append("t_1", { ...adding("abc"), limits })).toBeNull();
      expect(await other.append("t_1", { ...adding("d", "e"), limits })).toBeNull();
      expect(await other.append("t_1", { ...adding("de"), limits })).toHaveLength(1);
      expect(await other.append("t_3", adding("a"))).toBeNull();
      expect(await store.keep("t_2", listening(), [], closing)).toBe(true);
      expect(await other.append("t_2", adding("a"))).toBeNull();
      expect(await database().count("TranscriptSegment")).toBe(2);
    });

    it("AGT-13 the process that adopted a transcript last is the only one whose search is kept", async () => {
      expect(await store.adopt("t_1", 3)).toMatchObject({ id: "t_1", status: "open" });
      expect([await store.adopt("t_1", 2), await store.adopt("t_3", 1)]).toEqual([null, null]);
      await store.setTrouble("t_1", 2, "stale");
      expect(await store.keep("t_1", listening(2), [query("q_1")])).toBe(false);
      expect(await store.append("t_1", { ...adding("a"), listener: listening(2) })).toBeNull();
      expect(await store.keep("t_1", listening(3, { heardSeq: 7 }), [query("q_2")])).toBe(true);
      expect(await store.refuse("t_1", listening(2, { heardSeq: 1 }), "q_2", 5000)).toBe(false);
      expect(await store.find("t_1")).toMatchObject({ error: null, segmentCount: 0, progress: { heardSeq: 7 } });
      expect((await store.unanswered("t_1")).map(({ id }) => id)).toEqual(["q_2"]);
    });

    it("AGT-13 a transcript does not end while segments of it are not searched", async () => {
      const heardSeq = (await store.append("t_1", adding("a", "b")))?.at(-1)?.seq ?? 0;
      expect(await store.keep("t_1", listening(0, { heardSeq: heardSeq - 1 }), [query("q_1")], closing)).toBe(false);
      expect([await store.countQueries("t_1"), (await store.find("t_1"))?.progress.heardSeq]).toEqual([0, 0]);
      expect(await store.keep("t_1", listening(0, { heardSeq }), [query("q_1")], closing)).toBe(true);
      expect(await store.unfinished()).toMatchObject([
        { id: "t_1", status: "closed" },
        { id: "t_2", status: "open" },
      ]);
      expect(await store.keep("t_1", listening(0, { heardSeq }), [], closing)).toBe(false);
    });

    it("AGT-13 a deleted transcript takes its segments and queries with it, and no other's", async () => {
      for (const id of ["t_1", "t_2"]) {
        await store.append(id, adding(id));
        await store.keep(id, listening(), [query(`q_of_${id}`)]);
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
      await store.keep("t_1", listening(0, { faults: { q_2: "No such model" } }), [query("q_1"), query("q_2")]);
    });

    it("AGT-13 are oldest first, with why one could not be asked", async () => {
      const queries = await store.queries("t_1");
      expect(queries).toMatchObject([
        { ...query("q_1"), answer: null, runId: null, runStatus: null, error: null },
        { ...query("q_2"), error: "No such model", webhook: { state: "none", attempts: 0, error: null } },
      ]);
      expect(queries[0]).not.toHaveProperty("transcriptId");
      expect(await store.findQuery("q_3")).toBeNull();
    });

    it("AGT-13 are found by their run, and unanswered until they have an outcome", async () => {
      expect(await store.claim("q_1", "run_1")).toBe(true);
      expect([await store.claim("q_1", "run_2"), await store.claim("q_1", "run_1")]).toEqual([false, true]);
      expect(await store.queryOfRun("run_1")).toMatchObject({ id: "q_1", transcriptId: "t_1" });
      const unanswered = async () => (await store.unanswered("t_1")).map(({ id }) => id);
      expect([await unanswered(), await store.unanswered("t_2")]).toEqual([["q_1", "q_2"], []]);
      expect(await store.setOutcome("q_1", "42", 5000)).toBe(true);
      expect(await store.setOutcome("q_1", "43", 6000)).toBe(false);
      expect(await store.setOutcome("q_1", null, 6000)).toBe(false);
      expect(await store.setOutcome("q_3", "42", 5000)).toBe(false);
      expect(await store.claim("q_1", "run_1")).toBe(false);
      expect(await unanswered()).toEqual(["q_2"]);
      expect(await store.findQuery("q_1")).toMatchObject({ answer: "42", answeredAt: 5000 });
    });

    it("AGT-13 that could not be asked are settled without a run, and say why", async () => {
      await store.claim("q_1", "run_1");
      expect(await store.refuse("t_1", listening(0, { faults: { q_1: "No key" } }), "q_1", 5000)).toBe(true);
      expect(await store.findQuery("q_1")).toMatchObject({ runId: null, answeredAt: 5000, error: "No key" });
      expect(await store.refuse("t_1", listening(), "q_1", 6000)).toBe(false);
    });

    it("AGT-13 have answers in the order in which they were stored, whatever the clocks say", async () => {
      await store.setOutcome("q_1", "1", 5000);
      await database().transcripts().setOutcome("q_2", "2", 4000);
      const answersAfter = async (time: number) => (await store.answersAfter("t_1", time)).map(({ answer }) => answer);
      expect([await answersAfter(0), await answersAfter(5000), await answersAfter(5001)]).toEqual([
        ["1", "2"],
        ["2"],
        [],
      ]);
    });

    it("AGT-13 settle each outcome once in all processes together: a failure may still be followed by an answer", async () => {
      const others = [database().transcripts(), database().transcripts()];
      const settle = (answer: string | null) =>
        Promise.all(others.map((other) => other.setOutcome("q_1", answer, 5000)));
      expect((await settle(null)).filter(Boolean)).toHaveLength(1);
      expect((await settle("42")).filter(Boolean)).toHaveLength(1);
      expect(await store.findQuery("q_1")).toMatchObject({ answer: "42" });
    });

    it("AGT-13 are undelivered while their webhook is pending", async () => {
      await store.setWebhook("q_1", { state: "pending", attempts: 1, error: "HTTP 500" });
      expect(await store.undelivered()).toMatchObject([
        { id: "q_1", webhook: { state: "pending", attempts: 1, error: "HTTP 500" } },
      ]);
      await store.setWebhook("q_1", { state: "delivered", attempts: 2, error: null });
      expect(await store.undelivered()).toEqual([]);
    });
  });
}
