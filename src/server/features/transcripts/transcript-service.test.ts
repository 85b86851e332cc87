import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { RunStatus } from "../../../lib/contract/run";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { AppError } from "../../platform/shared/app-error";
import { queriesOf, startTranscripts, testSettings } from "./transcript.test-support";

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

describe("a transcript", () => {
  it("AGT-13 a query across segments becomes a background run of its transcript, and its answer comes back", async () => {
    const { service, runs, events } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Tool", speaker: "Ana", atMs: 0 }]);
    await service.append(LOCAL_OWNER, id, [{ text: "room, what is 2 + 2?", speaker: "Ana", atMs: 800 }]);
    await waitUntil(() => expect(runs.requests).toHaveLength(1));
    const [request] = runs.requests;
    expect(request).toMatchObject({ source: "background", transcriptId: id, settings: { provider: "demo" } });
    await waitUntil(async () => expect((await queriesOf(service, id))[0]?.runStatus).toBe("running"));
    await runs.end(request?.id ?? "", "succeeded", "It is 4.");
    await waitUntil(async () => expect((await queriesOf(service, id))[0]?.answer).toBe("It is 4."));
    const detail = await service.get(id);
    expect(detail.queries[0]).toMatchObject({
      text: "what is 2 + 2?",
      wakePhrase: "hey toolroom",
      speaker: "Ana",
      runId: request?.id,
      runStatus: "succeeded",
      error: null,
    });
    expect(detail.segments.map(({ text, speaker, atMs }) => [text, speaker, atMs])).toEqual([
      ["Hey Tool", "Ana", 0],
      ["room, what is 2 + 2?", "Ana", 800],
    ]);
    expect(detail.queries[0]?.fromSeq).toBe(detail.segments[0]?.seq);
    expect(detail.queries[0]?.toSeq).toBe(detail.segments[1]?.seq);
    expect((await service.list()).items).toMatchObject([{ id, segmentCount: 2, queryCount: 1, status: "open" }]);
    expect(events).toContainEqual({ type: "transcript", transcriptId: id });
  });

  it("AGT-13 silence ends a query that has no full stop, without another segment", async () => {
    const { service, runs } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    await service.append(LOCAL_OWNER, id, [{ text: "hey toolroom add milk" }]);
    expect(runs.requests).toHaveLength(0);
    await waitUntil(() => expect(runs.requests).toHaveLength(1));
    expect(runs.requests[0]?.title).toBe("add milk");
  });

  it("AGT-13 one query that fails stops no other, and says why", async () => {
    const { service, runs } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, one? Ok Toolroom, two?" }]);
    await waitUntil(() => expect(runs.requests).toHaveLength(2));
    await runs.end(runs.requests[0]?.id ?? "", "failed", "", "The model is overloaded");
    await runs.end(runs.requests[1]?.id ?? "", "succeeded", "2");
    await waitUntil(async () => expect((await queriesOf(service, id)).every((query) => query.answeredAt)).toBe(true));
    expect(await queriesOf(service, id)).toMatchObject([
      { text: "one?", answer: null, runStatus: "failed", error: "The model is overloaded" },
      { text: "two?", answer: "2", error: null },
    ]);
  });

  it("AGT-13 queries whose runs wait for a person keep no other one from being answered", async () => {
    const { service, runs } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    await service.append(LOCAL_OWNER, id, [
      { text: [1, 2, 3, 4].map((n) => `Hey Toolroom, delete file ${n}?`).join(" ") },
    ]);
    await waitUntil(() => expect(runs.requests).toHaveLength(4));
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, what is 2 + 2?" }]);
    const waiting = runs.requests.slice();
    const note = (run: string, status: RunStatus) => service.noteRun({ id: run, status, transcriptId: id });
    for (const run of waiting) note(run.id, "waiting");
    await waitUntil(() => expect(runs.requests).toHaveLength(5));
    await runs.end(runs.requests[4]?.id ?? "", "succeeded", "4");
    await waitUntil(async () => expect((await queriesOf(service, id))[4]?.answer).toBe("4"));

    // Each one that waited is settled when it ends: once, whatever else is said of its run.
    const [one, two] = waiting;
    await runs.end(one?.id ?? "", "succeeded", "It is gone.");
    await runs.end(two?.id ?? "", "failed", "", "The model is overloaded");
    note(one?.id ?? "", "running");
    for (let times = 0; times < 3; times += 1) {
      note(one?.id ?? "", "succeeded");
      note(two?.id ?? "", "failed");
    }
    await waitUntil(async () =>
      expect(await queriesOf(service, id)).toMatchObject([
        { answer: "It is gone." },
        { answer: null, answeredAt: expect.any(Number), error: "The model is overloaded" },
        { answer: null, answeredAt: null },
        { answer: null, answeredAt: null },
        { answer: "4" },
      ]),
    );
  });

  it("AGT-13 a query that cannot be asked says so, and the next one is asked", async () => {
    const { service, runs } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    runs.refusal = new AppError("INVALID", "provider: 'demo' has no key");
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, one?" }]);
    await waitUntil(async () => expect((await queriesOf(service, id))[0]?.answeredAt).toBeTruthy());
    expect(await queriesOf(service, id)).toMatchObject([{ runId: null, error: "provider: 'demo' has no key" }]);
    runs.refusal = null;
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, two?" }]);
    await waitUntil(() => expect(runs.requests).toHaveLength(1));
  });

  it("AGT-13 a closed one ends its open query, answers it still, and takes nothing more", async () => {
    const { service, runs } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings({ silenceMs: 60_000 }));
    await service.append(LOCAL_OWNER, id, [{ text: "hey toolroom add milk" }]);
    expect(await service.close(LOCAL_OWNER, id)).toMatchObject({ status: "closed", queryCount: 1 });
    await expect(service.append(LOCAL_OWNER, id, [{ text: "more" }])).rejects.toMatchObject({
      code: "CONFLICT",
      message: "This transcript is closed: it accepts no more segments",
    });
    await waitUntil(() => expect(runs.requests).toHaveLength(1));
    await runs.end(runs.requests[0]?.id ?? "", "succeeded", "Done.");
    await waitUntil(async () => expect((await queriesOf(service, id))[0]?.answer).toBe("Done."));
    expect(await service.close(LOCAL_OWNER, id)).toMatchObject({ status: "closed" });
  });

  it("AGT-13 shows the newest of what was said, so much that a page can hold it", async () => {
    const { service } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    await service.append(
      LOCAL_OWNER,
      id,
      Array.from({ length: 30 }, (_, n) => ({ text: `${n} ${"x".repeat(50_000)}` })),
    );
    const { segments, segmentCount } = await service.get(id);
    expect(segmentCount).toBe(30);
    expect(segments).toHaveLength(19);
    expect(segments.at(-1)?.text).toMatch(/^29 /);
  });

  it("AGT-13 a deleted one is gone with its segments and queries; its runs stay", async () => {
    const { service, runs } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    await service.append(LOCAL_OWNER, id, [{ text: "Hey Toolroom, one?" }]);
    await waitUntil(() => expect(runs.requests).toHaveLength(1));
    expect(await service.delete(LOCAL_OWNER, id)).toEqual({ id });
    await expect(service.get(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await runs.end(runs.requests[0]?.id ?? "", "succeeded", "late");
    expect(await scratch.db.prisma.transcriptSegment.count()).toBe(0);
    expect(await scratch.db.prisma.transcriptQuery.count()).toBe(0);
    expect(await scratch.db.prisma.run.count()).toBe(1);
  });

  it("AGT-13 refuses settings with a message for each field, and segments of a transcript that there is not", async () => {
    const checkProvider = () => Promise.reject(new AppError("NOT_FOUND", "There is no model provider 'demo'"));
    const { service } = await startServer({ checkProvider });
    const wrong = testSettings({ wakePhrases: ["--!", "hey toolroom"] });
    const refused = await service.create(LOCAL_OWNER, wrong).catch((error: AppError) => error.problems);
    expect(refused).toEqual([
      { path: "wakePhrases", message: expect.stringContaining("two letters") },
      { path: "provider", message: "There is no model provider 'demo'" },
    ]);
    await expect(service.append(LOCAL_OWNER, "transcript_none", [{ text: "a" }])).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  it("AGT-13 a full one says so and how to continue", async () => {
    const { service, stop } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    await service.append(LOCAL_OWNER, id, [{ text: "x".repeat(99) }]);
    await stop();
    const row = await scratch.db.prisma.transcript.update({
      where: { id },
      data: { characters: { increment: 19_999_900 } },
    });
    expect(row.characters).toBe(19_999_999);
    const { service: next } = await startServer();
    await next.append(LOCAL_OWNER, id, [{ text: "x" }]);
    await expect(next.append(LOCAL_OWNER, id, [{ text: "x" }])).rejects.toThrow(
      /full \(20000000 characters\): close it/,
    );
  });
});

describe("answers of a transcript", () => {
  it("AGT-13 reach a subscription in order, and a resumed one receives what it missed, once", async () => {
    const { service, runs } = await startServer();
    const { id } = await service.create(LOCAL_OWNER, testSettings());
    const ask = async (text: string) => {
      await service.append(LOCAL_OWNER, id, [{ text: `Hey Toolroom, ${text}?` }]);
      await waitUntil(() => expect(runs.requests.at(-1)?.title).toBe(`${text}?`));
      await runs.end(runs.requests.at(-1)?.id ?? "", "succeeded", text.toUpperCase());
    };
    const controller = new AbortController();
    const stream = service.answers(id, null, controller.signal);
    const first = stream.next();
    await ask("one");
    expect((await first).value?.query).toMatchObject({ text: "one?", answer: "ONE" });
    const lastId = (await first).value?.id ?? null;
    controller.abort();
    expect((await stream.next()).done).toBe(true);
    await ask("two");
    await waitUntil(async () => expect((await queriesOf(service, id))[1]?.answer).toBe("TWO"));
    const again = service.answers(id, lastId, new AbortController().signal);
    expect((await again.next()).value?.query.answer).toBe("TWO");
    const third = again.next();
    await ask("three");
    expect((await third).value?.query.answer).toBe("THREE");
    await expect(service.answers("transcript_none", null, controller.signal).next()).rejects.toThrow("not found");
  });
});
