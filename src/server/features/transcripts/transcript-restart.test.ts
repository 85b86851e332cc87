import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../db/database.test-support";
import type { RunRequest } from "../../engine/agent/run-ports";
import { createTestRuns, queriesOf, startTranscripts, testSettings } from "./transcript.test-support";

let scratch: ScratchDatabase;
let folder: string;
const running: (() => Promise<void>)[] = [];
beforeEach(async () => {
  scratch = await createScratchDatabase();
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-transcripts-"));
});
afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
  await scratch.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function startServer(options: Parameters<typeof startTranscripts>[2] = {}) {
  const server = await startTranscripts(scratch, folder, options);
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
    const first = await startTranscripts(scratch, folder, { ports: { runs } });
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

  it("AGT-13 an undelivered answer is delivered", async () => {
    const first = await startServer({ webhook: (_url, _body, signal) => untilAborted(signal) });
    const { id } = await first.service.create(LOCAL_OWNER, testSettings({ webhookUrl: "https://example.org/hook" }));
    await first.service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, one?" }]);
    await waitUntil(() => expect(first.runs.requests).toHaveLength(1));
    await first.runs.end(first.runs.requests[0]?.id ?? "", "succeeded", "1");
    await waitUntil(() => expect(first.posted).toHaveLength(1));
    await first.stop();
    const second = await startServer();
    await waitUntil(async () => expect((await queriesOf(second.service, id))[0]?.webhook.state).toBe("delivered"));
    expect(second.posted).toHaveLength(1);
  });
});

describe("a watched file", () => {
  it("AGT-13 is read from where it was, its lines in all three forms, and its queries are answered", async () => {
    const file = path.join(folder, "talk.txt");
    writeFileSync(file, "Just text.\nAna: Hey Tool\nAna: room, what is 2 + 2?\n");
    const first = await startServer();
    const { id } = await first.service.create(
      LOCAL_OWNER,
      testSettings({ source: { kind: "file", path: "talk.txt" } }),
    );
    await waitUntil(() => expect(first.runs.requests).toHaveLength(1));
    await first.stop();
    appendFileSync(file, '{"text":"Hey Toolroom, and 3 + 3?","speaker":"Bo","atMs":9000}\nhey toolroom: last one');
    const second = await startServer();
    await waitUntil(() => expect(second.runs.requests).toHaveLength(1));
    expect(await second.service.close(LOCAL_OWNER, id)).toMatchObject({
      status: "closed",
      segmentCount: 5,
      queryCount: 3,
    });
    const { segments, queries } = await second.service.get(id);
    expect(segments.map(({ speaker, text }) => [speaker, text])).toEqual([
      [null, "Just text."],
      ["Ana", "Hey Tool"],
      ["Ana", "room, what is 2 + 2?"],
      ["Bo", "Hey Toolroom, and 3 + 3?"],
      [null, "hey toolroom: last one"],
    ]);
    expect(queries.map(({ text, speaker }) => [speaker, text])).toEqual([
      ["Ana", "what is 2 + 2?"],
      ["Bo", "and 3 + 3?"],
      ["Bo", "last one"],
    ]);
  });

  it("AGT-13 that is not there yet is waited for, and the transcript says so", async () => {
    const { service } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings({ source: { kind: "file", path: "later.txt" } }));
    await waitUntil(async () => expect((await service.get(id)).error).toContain("does not exist"));
    writeFileSync(path.join(folder, "later.txt"), "hello\n");
    await waitUntil(async () => expect(await service.get(id)).toMatchObject({ error: null, segmentCount: 1 }));
  });
});

function untilAborted(signal: AbortSignal): Promise<{ ok: false; reason: string; retry: boolean }> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve({ ok: false, reason: "aborted", retry: true }));
  });
}
