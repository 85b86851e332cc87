import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anEnd, aStart, WEATHER } from "../../../calls/executions/execution.test-support";
import type { ExecutionStore } from "../../../calls/executions/execution-store";
import type { ExecutionEnd, ExecutionStart } from "../../../engine/ports";
import { type CreateDatabase, type StoreDatabase, useDatabase } from "./store-database.test-support";

let database: () => StoreDatabase;
let store: ExecutionStore;

function openStore(createDatabase: CreateDatabase): void {
  const opened = useDatabase(createDatabase);
  beforeEach(() => {
    database = opened;
    store = database().executions({ instanceId: "inst_a" });
  });
  afterEach(() => store.close());
}

const fullStart: ExecutionStart = aStart({
  id: "exec_full",
  source: "agent",
  actor: { id: "ada", name: "Ada" },
  client: "inspector 2.1",
  argumentsText: `{"location":"Zürich","note":"${"é".repeat(300)}"}`,
  queuedAt: 1_795_000_000_000,
  validateMs: 0.125,
  timeoutMs: 1500.5,
  validationSkipped: true,
  parentId: "exec_parent",
  runId: "run_1",
  callId: "call_1",
  toolset: "mail",
  tokenId: "token_1",
  reason: "The customer waits",
  ruleMatches: [
    {
      ruleId: "rule_1",
      name: "Large refunds",
      version: 3,
      effect: "ask",
      recordOnly: true,
      values: { "args.note": "Zürich", "args.list": [1, { a: null }] },
    },
  ],
});

const fullEnd: ExecutionEnd = anEnd(fullStart, {
  status: "timed_out",
  resultText: '{"partial":',
  resultTruncated: true,
  resultBytes: 9_000_000_000,
  storedBytes: 11,
  modelChars: 7,
  resultChars: 8_999_999_999,
  credential: "personal",
  taskId: "task-1",
  lens: "items[].id",
  lensFault: "The expression selects nothing in this result",
  error: "Timed out after 1500.5 ms",
  errorKind: "timeout",
  faults: [{ pointer: "/a~1b", path: "a/b", keyword: "type", message: "must be string" }],
  limit: { name: "timeout", value: 1500.5, unit: "ms", setBy: "call" },
  executionTimeMs: 1500.625,
  recordMs: 0.25,
  runMs: 1500.5,
  logs: [{ atMs: 3.5, level: "warn", message: "slow" }],
});

export function describeExecutionStore(createDatabase: CreateDatabase): void {
  describe("stored executions", () => {
    openStore(createDatabase);

    describe("EXE-06 one call", () => {
      it("EXE-06 every field of the start and of the end is stored unchanged", async () => {
        await store.begin(fullStart);
        await store.finish(fullStart, fullEnd);
        const found = await store.find("exec_full");
        expect(found).toEqual({
          seq: 1,
          id: "exec_full",
          toolName: "get_weather",
          implementationType: "mock",
          status: "timed_out",
          source: "agent",
          actor: { id: "ada", name: "Ada" },
          client: "inspector 2.1",
          argumentsPreview: fullStart.argumentsText.slice(0, 200),
          argumentsText: fullStart.argumentsText,
          errorPreview: "Timed out after 1500.5 ms",
          error: "Timed out after 1500.5 ms",
          errorKind: "timeout",
          executionTimeMs: 1500.625,
          durationMs: 1500.5,
          queuedAt: fullStart.queuedAt,
          startedAt: fullEnd.startedAt,
          finishedAt: fullEnd.finishedAt,
          resultText: '{"partial":',
          resultTruncated: true,
          resultBytes: 9_000_000_000,
          storedBytes: 11,
          modelChars: 7,
          resultChars: 8_999_999_999,
          credential: "personal",
          taskId: "task-1",
          lens: { expression: "items[].id", fault: "The expression selects nothing in this result" },
          parentId: "exec_parent",
          runId: "run_1",
          runTitle: null,
          callId: "call_1",
          toolset: "mail",
          tokenId: "token_1",
          reason: "The customer waits",
          serverName: null,
          ruleMatches: fullStart.ruleMatches,
          approval: null,
          pinned: false,
          faults: fullEnd.faults,
          limit: fullEnd.limit,
          timing: { validateMs: 0.125, recordMs: 0.25, waitMs: null, runMs: 1500.5 },
          timeoutMs: 1500.5,
          validationSkipped: true,
          definition: WEATHER,
          definitionHash: store.hashDefinition(WEATHER),
          version: null,
          logs: fullEnd.logs,
        });
      });

      it("EXE-06 a call recorded at once is the same as one that began and finished", async () => {
        await store.begin(fullStart);
        await store.finish(fullStart, fullEnd);
        const other = { ...fullStart, id: "exec_recorded" };
        await store.record(other, { ...fullEnd, id: other.id });
        const began = await store.find("exec_full");
        const recorded = await store.find("exec_recorded");
        expect({ ...recorded, id: began?.id, seq: began?.seq }).toEqual(began);
      });

      it("a running call is there before it ends, and an unknown tool has no definition", async () => {
        const start = aStart({ definition: null, implementationType: null, toolName: "constructor" });
        await store.begin(start);
        expect(await store.find(start.id)).toMatchObject({ status: "running", definition: null, definitionHash: null });
        expect((await store.counts()).running).toBe(1);
        expect(await store.find("exec_nothing")).toBeNull();
      });

      it("a call ends once: a second, different end is refused and the first stays", async () => {
        const start = aStart();
        await store.begin(start);
        await store.finish(start, anEnd(start));
        await expect(store.finish(start, anEnd(start, { status: "failed", finishedAt: 1 }))).rejects.toMatchObject({
          name: "JournalError",
          message: "the call has already ended",
        });
        expect((await store.find(start.id))?.status).toBe("succeeded");
      });

      it("a preview does not end in half a character", async () => {
        const start = aStart({ argumentsText: `"${"x".repeat(198)}😀${"y".repeat(50)}"` });
        await store.begin(start);
        expect((await store.summary(start.id))?.argumentsPreview).toBe(`"${"x".repeat(198)}`);
      });
    });

    describe("definitions", () => {
      it("are stored once per content, and a call keeps the one that ran", async () => {
        const changed = { ...WEATHER, description: "Another description" };
        const reordered = Object.fromEntries(Object.entries(WEATHER).reverse()) as typeof WEATHER;
        const starts = [WEATHER, changed, reordered, WEATHER].map((definition) => aStart({ definition }));
        for (const start of starts) await store.begin(start);
        const found = await Promise.all(starts.map(({ id }) => store.find(id)));
        expect(found.map((execution) => execution?.definition?.description)).toEqual([
          WEATHER.description,
          changed.description,
          WEATHER.description,
          WEATHER.description,
        ]);
        expect(await database().count("Definition")).toBe(2);
      });

      it("are read as they were recorded, whichever were read before, and cannot be changed", async () => {
        const ids = new Map<string, string>();
        for (const description of ["first", "second", "third"]) {
          const start = aStart({ definition: { ...WEATHER, description } });
          await store.begin(start);
          ids.set(start.id, description);
        }
        for (let round = 0; round < 2; round += 1) {
          for (const [id, description] of ids) {
            const definition = (await store.find(id))?.definition ?? null;
            expect(definition).toEqual({ ...WEATHER, description });
            expect(() => Object.assign(definition?.parameters ?? {}, { type: "array" })).toThrow(TypeError);
          }
        }
      });

      it("a key called __proto__ in a definition survives", async () => {
        const definition: typeof WEATHER = {
          ...WEATHER,
          parameters: JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
        };
        const start = aStart({ definition });
        await store.begin(start);
        const stored = await store.find(start.id);
        expect(JSON.stringify(stored?.definition?.parameters)).toContain('"__proto__"');
        expect(store.hashDefinition(definition)).not.toBe(store.hashDefinition(WEATHER));
      });
    });

    describe("around one call", () => {
      it("replays are its children, newest first, and pins are kept", async () => {
        const parent = aStart();
        const replays = [
          aStart({ parentId: parent.id, source: "replay" }),
          aStart({ parentId: parent.id, source: "replay" }),
        ];
        for (const start of [parent, ...replays]) await store.record(start, anEnd(start));
        expect((await store.replays([parent.id])).map(({ id }) => id)).toEqual([replays[1]?.id, replays[0]?.id]);
        expect((await store.setPinned(parent.id, true)).pinned).toBe(true);
        expect((await store.list({ pinned: true })).items.map(({ id }) => id)).toEqual([parent.id]);
        expect((await store.setPinned(parent.id, false)).pinned).toBe(false);
        await expect(store.setPinned("exec_nothing", true)).rejects.toThrow("no execution exec_nothing");
        expect(await store.counts()).toEqual({ executions: 3, replays: 2, running: 0, rebuilding: false });
      });

      it("a deletion leaves what was pinned after its list of ids was read, unless it includes pinned ones", async () => {
        const starts = Array.from({ length: 60 }, () => aStart());
        for (const start of starts) await store.record(start, anEnd(start));
        const ids = starts.map(({ id }) => id);
        const first = ids[0] as string;
        const last = ids[59] as string;
        const by = { actor: "Ada", at: 1, includePinned: false };
        await store.setPinned(first, true);
        const deleting = store.delete(ids, by);
        await store.setPinned(last, true);
        expect(await deleting).toHaveLength(58);
        expect((await store.list({})).items.map(({ id }) => id)).toEqual([last, first]);
        expect(await store.delete(ids, { ...by, includePinned: true })).toHaveLength(2);
      });

      it("what was acknowledged is there after a restart", async () => {
        const start = aStart();
        await store.begin(start);
        await store.finish(start, anEnd(start));
        await store.close();
        await database().restart();
        store = database().executions({ instanceId: "inst_a" });
        expect((await store.find(start.id))?.status).toBe("succeeded");
      });
    });
  });
}

export function describeExecutionJournal(createDatabase: CreateDatabase): void {
  describe("group commit", () => {
    openStore(createDatabase);

    it("EXE-06 200 calls at once: each is recorded once, none is lost", async () => {
      const starts = Array.from({ length: 200 }, () => aStart());
      await Promise.all(
        starts.map(async (start) => {
          await store.begin(start);
          await store.finish(start, anEnd(start));
        }),
      );
      const rows = (await store.list({}, { limit: 200 })).items;
      expect(await database().count("Execution")).toBe(200);
      expect(rows.length).toBe(200);
      expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(starts.map(({ id }) => id)));
      expect(rows.every(({ status }) => status === "succeeded")).toBe(true);
    });

    it("a row that is refused does not take its neighbours with it", async () => {
      const twin = aStart();
      await store.begin(twin);
      const good = [aStart(), aStart()];
      const results = await Promise.allSettled([
        ...good.map((start) => store.begin(start)),
        store.begin(twin),
        store.record(twin, anEnd(twin)),
        store.finish(twin, anEnd(twin)),
      ]);
      expect(results.map(({ status }) => status)).toEqual([
        "fulfilled",
        "fulfilled",
        "rejected",
        "rejected",
        "fulfilled",
      ]);
      expect(results[2]).toMatchObject({ reason: { name: "JournalError", message: "the database refused the row" } });
      expect((await store.find(twin.id))?.status).toBe("succeeded");
      for (const { id } of good) expect((await store.find(id))?.status).toBe("running");
    });

    it("more than one batch holds keeps its order and loses nothing", async () => {
      const big = `"${"x".repeat(300_000)}"`;
      const starts = Array.from({ length: 600 }, (_, index) => aStart(index < 40 ? { argumentsText: big } : {}));
      await Promise.all(starts.map((start) => store.record(start, anEnd(start))));
      const summaries = await Promise.all(starts.map(({ id }) => store.summary(id)));
      const seqs = summaries.map((summary) => summary?.seq ?? 0);
      expect(seqs).toEqual(seqs.toSorted((left, right) => left - right));
      expect(new Set(seqs).size).toBe(600);
      expect(seqs).not.toContain(0);
    });

    it("a closed execution log refuses calls and says so", async () => {
      await store.close();
      await expect(store.begin(aStart())).rejects.toMatchObject({
        name: "JournalError",
        message: "the execution log is closed",
      });
    });
  });
}
