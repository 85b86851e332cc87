import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { RunRequest } from "../../engine/agent/run-starter";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { createTranscriptStore } from "./db/transcript-store";
import { createTestRuns, queriesOf, startTranscripts, testSettings } from "./transcript.test-support";

let scratch: ScratchDatabase;
const running: (() => Promise<void>)[] = [];
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  await scratch.remove();
});

async function startServer(ports: Parameters<typeof startTranscripts>[1] = {}) {
  const server = await startTranscripts(scratch, ports);
  running.push(server.stop);
  return server;
}

describe("after a restart", () => {
  it("AGT-13 an open transcript continues in the middle of a wake phrase, and no query is lost or repeated", async () => {
    const first = await startServer();
    const { id } = await first.service.create(LOCAL_OWNER, testSettings());
    await first.service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, one?" }, { text: "so. hey tool" }]);
    await waitUntil(() => expect(first.runs.requests).toHaveLength(1));
    await first.stop();
    // Kept by a process that died before it could search it.
    await scratch.db.prisma.transcriptSegment.create({
      data: { transcriptId: id, receivedAt: 0n, text: "room, two?" },
    });
    const second = await startServer();
    await waitUntil(() => expect(second.runs.requests).toHaveLength(1));
    expect(second.runs.requests[0]?.title).toBe("two?");
    expect((await queriesOf(second.service, id)).map(({ text }) => text)).toEqual(["one?", "two?"]);
  });

  it("AGT-13 a silence before the restart still separates what was said before from what is said after", async () => {
    const first = await startServer();
    const { id } = await first.service.create(LOCAL_OWNER, testSettings());
    await first.service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom." }]);
    const { prisma } = scratch.db;
    await waitUntil(async () => expect((await prisma.transcript.findFirst())?.progress).toContain("heardSeq"));
    await first.stop();
    const second = await startServer();
    await second.service.append(LOCAL_OWNER, id, [{ text: "Let us go on. Hey Toolroom, one?" }]);
    await waitUntil(() => expect(second.runs.requests.map(({ title }) => title)).toEqual(["one?"]));
  });

  it("AGT-13 a query takes its answer from a run that has ended since, or is marked; one never asked is asked", async () => {
    const first = await startServer();
    const { id } = await first.service.create(LOCAL_OWNER, testSettings());
    await first.service.append(LOCAL_OWNER, id, [
      { text: "Hey Toolroom, one? Hey Toolroom, two? Hey Toolroom, three?" },
    ]);
    await waitUntil(() => expect(first.runs.requests).toHaveLength(3));
    await waitUntil(async () => expect((await queriesOf(first.service, id)).every(({ runId }) => runId)).toBe(true));
    await first.stop();
    const [one, two, three] = await queriesOf(first.service, id);
    await first.runs.end(two?.runId ?? "", "interrupted", "", "The server stopped during this run");
    await scratch.db.prisma.transcriptQuery.update({ where: { id: three?.id ?? "" }, data: { runId: null } });
    const second = await startServer();
    await waitUntil(() => expect(second.runs.requests).toHaveLength(1));
    expect(second.runs.requests[0]).toMatchObject({ title: "three?", transcriptId: id });
    expect((await queriesOf(second.service, id))[1]).toMatchObject({ answer: null, runStatus: "interrupted" });

    // A person resumes the interrupted run, and the one that waited goes on: both are heard of.
    for (const query of [one, two]) {
      const run = { id: query?.runId ?? "", transcriptId: id, status: "succeeded" as const };
      await second.runs.end(run.id, "succeeded", `answer to ${query?.text}`);
      second.service.noteRun(run);
    }
    await waitUntil(async () =>
      expect((await queriesOf(second.service, id)).map(({ answer }) => answer)).toEqual([
        "answer to one?",
        "answer to two?",
        null,
      ]),
    );
  });

  it("AGT-13 a query is asked once, under one run's id, whether the process ends before its run begins or after", async () => {
    const kept: (string | null)[] = [];
    const began = createTestRuns(() => scratch.db, "before");
    /** The process ends in the middle of a start: before the first run began, after the second did. */
    const start = async (request: RunRequest): Promise<never> => {
      const row = await scratch.db.prisma.transcriptQuery.findFirst({ orderBy: { seq: "desc" } });
      if (request.title === "two?") await began.starter.start(request);
      kept.push(row?.runId === request.id ? (request.id ?? null) : null);
      return await new Promise(() => undefined);
    };
    const runs = { start, stop: async () => ({ stopped: true }) };
    // Never stopped: it is gone.
    const first = await startTranscripts(scratch, { runs });
    const { id } = await first.service.create(LOCAL_OWNER, testSettings());
    for (const [index, text] of ["one?", "two?"].entries()) {
      await first.service.append(LOCAL_OWNER, id, [{ text: `Hey Toolroom, ${text}` }]);
      await waitUntil(() => expect(kept).toHaveLength(index + 1));
    }
    expect(kept).toEqual([expect.stringMatching(/^run_/), expect.stringMatching(/^run_/)]);
    const second = await startServer();
    await waitUntil(() => expect(second.runs.requests).toHaveLength(1));
    expect(second.runs.requests[0]).toMatchObject({ id: kept[0], title: "one?" });
    expect((await queriesOf(second.service, id)).map(({ runId }) => runId)).toEqual(kept);
    await second.runs.end(kept[0] ?? "", "succeeded", "1");
    await waitUntil(async () => expect((await queriesOf(second.service, id))[0]?.answer).toBe("1"));
    expect(second.runs.requests).toHaveLength(1);
  });

  it("AGT-13 what was not asked of a closed transcript is asked", async () => {
    const first = await startServer();
    const { id } = await first.service.create(LOCAL_OWNER, testSettings());
    const text = [1, 2, 3, 4, 5].map((n) => `Hey Toolroom, number ${n}?`).join(" ");
    await first.service.append(LOCAL_OWNER, id, [{ text }]);
    await waitUntil(() => expect(first.runs.requests).toHaveLength(4));
    await first.service.close(LOCAL_OWNER, id);
    await first.stop();
    const second = await startServer();
    await waitUntil(() => expect(second.runs.requests.map(({ title }) => title)).toEqual(["number 5?"]));
  });
});

describe("a failure of the database", () => {
  it("AGT-13 loses no segment and no query, and none is asked twice", async () => {
    const store = createTranscriptStore({ db: scratch.db });
    let isBroken = true;
    const keep: typeof store.keep = (...given) =>
      isBroken ? Promise.reject(new Error("disk full")) : store.keep(...given);
    const { service, runs } = await startServer({ store: { ...store, keep }, retryMs: 10 });
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, one? Hey tool" }]);
    await expect(service.close(LOCAL_OWNER, id)).rejects.toThrow("disk full");
    expect(runs.requests).toEqual([]);
    isBroken = false;
    await waitUntil(() => expect(runs.requests.map(({ title }) => title)).toEqual(["one?"]));
    await service.append(LOCAL_OWNER, id, [{ text: "room, two?" }]);
    await waitUntil(() => expect(runs.requests.map(({ title }) => title)).toEqual(["one?", "two?"]));
    expect(await service.close(LOCAL_OWNER, id)).toMatchObject({ status: "closed", segmentCount: 2, queryCount: 2 });
  });

  it("AGT-13 delays the answer of a run that has ended, and does not lose it", async () => {
    const store = createTranscriptStore({ db: scratch.db });
    let failures = 0;
    const setOutcome: typeof store.setOutcome = (...given) =>
      failures++ === 0 ? Promise.reject(new Error("disk full")) : store.setOutcome(...given);
    const { service, runs } = await startServer({ store: { ...store, setOutcome }, retryMs: 10 });
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, one?" }]);
    await waitUntil(() => expect(runs.requests).toHaveLength(1));
    await runs.end(runs.requests[0]?.id ?? "", "succeeded", "1");
    await waitUntil(async () => expect((await queriesOf(service, id))[0]?.answer).toBe("1"));
    expect(runs.requests).toHaveLength(1);
  });
});
