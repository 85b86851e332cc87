import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { openDatabase } from "../../db/database";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../db/database.test-support";
import { createTestRuns, queriesOf, startTranscripts, testSettings } from "./transcript.test-support";
import type { TranscriptService } from "./transcript-service";

let scratch: ScratchDatabase;
let folder: string;
let pids = 0;
const alive = new Set<number>();
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

/** A process with a process id and a connection of its own. */
async function startProcess(options: Parameters<typeof startTranscripts>[2] = {}) {
  pids += 1;
  const pid = pids;
  alive.add(pid);
  const db = await openDatabase({ url: scratch.url, logger: quietLogger() });
  const hostProcess = { pid, host: "test-host", exists: (other: number) => alive.has(other) };
  const server = await startTranscripts({ db }, folder, { hostProcess, ...options });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await server.stop();
    await db.close();
  };
  running.push(stop);
  /** Other processes take it for dead, while it still does what it can: the worst case of one that hung. */
  return { ...server, stop, seemDead: () => alive.delete(pid) };
}

const startTwo = async () => [await startProcess(), await startProcess()] as const;
const say = (service: TranscriptService, id: string, ...texts: string[]) =>
  service.append(
    LOCAL_OWNER,
    id,
    texts.map((text) => ({ text })),
  );

describe("two processes with one transcript", () => {
  it("AGT-13 what one is told the other hears, it is answered once, and the answer reaches listeners of both", async () => {
    const [one, two] = await startTwo();
    const { id } = await one.service.create(LOCAL_OWNER, testSettings());
    const streams = [one, two].map(({ service }) => service.answers(id, null, new AbortController().signal));
    const first = streams.map((stream) => stream.next());
    await say(two.service, id, "Hey Tool");
    await say(one.service, id, "room, one?");
    await say(two.service, id, "Hey Toolroom, two?");
    await waitUntil(() => expect(one.runs.requests.map(({ title }) => title)).toEqual(["one?", "two?"]));
    await one.runs.end(one.runs.requests[0]?.id ?? "", "succeeded", "1");
    expect((await Promise.all(first)).map(({ value }) => value?.query.answer)).toEqual(["1", "1"]);
    await one.runs.end(one.runs.requests[1]?.id ?? "", "succeeded", "2");
    expect((await Promise.all(streams.map((stream) => stream.next()))).map(({ value }) => value?.query.answer)).toEqual(
      ["2", "2"],
    );
    expect(two.runs.requests).toEqual([]);
    expect((await two.service.get(id)).segments.map(({ text }) => text)).toHaveLength(3);
  });

  it("AGT-13 a process that starts leaves unanswered queries to the one that listens", async () => {
    const one = await startProcess();
    const { id } = await one.service.create(LOCAL_OWNER, testSettings());
    await say(one.service, id, [1, 2, 3, 4, 5].map((n) => `Hey Toolroom, number ${n}?`).join(" "));
    await waitUntil(() => expect(one.runs.requests).toHaveLength(4));
    const two = await startProcess();
    await two.service.sweep();
    for (let at = 0; at < 5; at += 1) {
      await waitUntil(() => expect(one.runs.requests.length).toBeGreaterThan(at));
      await one.runs.end(one.runs.requests[at]?.id ?? "", "succeeded", "yes");
    }
    await waitUntil(async () => expect((await queriesOf(two.service, id)).every(({ answer }) => answer)).toBe(true));
    expect([one.runs.requests.length, two.runs.requests.length]).toEqual([5, 0]);
  });

  it("AGT-13 no query is lost or doubled where both add at once, up to the end", async () => {
    const [one, two] = await startTwo();
    const { id } = await one.service.create(LOCAL_OWNER, testSettings());
    const add = async ({ service }: typeof one, name: string) => {
      for (let n = 0; n < 15; n += 1) await say(service, id, `Hey Toolroom, ${name} ${n}?`);
    };
    await Promise.all([add(one, "left"), add(two, "right")]);
    expect(await two.service.close(LOCAL_OWNER, id)).toMatchObject({ status: "closed", queryCount: 30 });
    const texts = (await queriesOf(one.service, id)).map(({ text }) => text);
    expect(new Set(texts).size).toBe(30);
  });
});

describe("a transcript that another process listens to", () => {
  it("AGT-13 is closed there with its open query, which is still answered, and takes nothing more anywhere", async () => {
    const [one, two] = await startTwo();
    const { id } = await one.service.create(LOCAL_OWNER, testSettings({ silenceMs: 60_000 }));
    await say(one.service, id, "hey toolroom add milk");
    expect(await two.service.close(LOCAL_OWNER, id)).toMatchObject({ status: "closed", queryCount: 1 });
    for (const { service } of [one, two]) await expect(say(service, id, "more")).rejects.toThrow("is closed");
    await waitUntil(() => expect(one.runs.requests).toHaveLength(1));
    await one.runs.end(one.runs.requests[0]?.id ?? "", "succeeded", "Done.");
    await waitUntil(async () => expect((await queriesOf(two.service, id))[0]?.answer).toBe("Done."));
  });

  it("AGT-13 is not called closed where that process does not answer", async () => {
    const one = await startProcess();
    const two = await startProcess({ claimLimitMs: 10 });
    const { id } = await one.service.create(LOCAL_OWNER, testSettings());
    await one.coordination.stop();
    await expect(two.service.close(LOCAL_OWNER, id)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await two.service.get(id)).toMatchObject({ status: "open" });
  });

  it("AGT-13 is deleted, which ends the streams of that process too", async () => {
    const [one, two] = await startTwo();
    const { id } = await one.service.create(LOCAL_OWNER, testSettings());
    const end = one.service.answers(id, null, new AbortController().signal).next();
    await two.service.delete(LOCAL_OWNER, id);
    expect((await end).done).toBe(true);
    await expect(say(one.service, id, "more")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a process that no longer listens", () => {
  it("AGT-13 and died leaves its unanswered query to another one, which asks and answers it once", async () => {
    const began = createTestRuns(() => scratch.db, "never");
    const chosen: (string | undefined)[] = [];
    let fail = (_error: Error): void => undefined;
    const start = (request: { id?: string | undefined }): Promise<never> => {
      chosen.push(request.id);
      return new Promise((_resolve, reject) => {
        fail = reject;
      });
    };
    const one = await startProcess({ ports: { runs: { ...began.starter, start } } });
    const two = await startProcess();
    const { id } = await one.service.create(LOCAL_OWNER, testSettings());
    await say(one.service, id, "Hey Toolroom, one?");
    await waitUntil(() => expect(chosen).toHaveLength(1));
    one.seemDead();
    await two.service.sweep();
    await waitUntil(() => expect(two.runs.requests.map((run) => run.id)).toEqual(chosen));
    fail(new Error("The start hung for too long"));
    await one.stop();
    await two.runs.end(chosen[0] ?? "", "succeeded", "1");
    await waitUntil(async () => expect((await queriesOf(two.service, id))[0]?.answer).toBe("1"));
    await two.service.sweep();
    expect([chosen.length, two.runs.requests.length]).toEqual([1, 1]);
  });

  it("AGT-13 and died leaves what it had not asked of a closed transcript to another one", async () => {
    const [one, two] = await startTwo();
    const { id } = await one.service.create(LOCAL_OWNER, testSettings());
    await say(one.service, id, [1, 2, 3, 4, 5].map((n) => `Hey Toolroom, number ${n}?`).join(" "));
    await waitUntil(() => expect(one.runs.requests).toHaveLength(4));
    await one.service.close(LOCAL_OWNER, id);
    one.seemDead();
    await two.service.sweep();
    await waitUntil(() => expect(two.runs.requests.map(({ title }) => title)).toEqual(["number 5?"]));
  });

  it("AGT-13 since its lease expired finds nothing more, also where it has not noticed", async () => {
    const one = await startProcess();
    const two = await startProcess({ clockAheadMs: 120_000 });
    const { id } = await one.service.create(LOCAL_OWNER, testSettings());
    await say(two.service, id, "Hey Toolroom, one?");
    await waitUntil(() => expect(two.runs.requests).toHaveLength(1));
    await say(one.service, id, "Hey Toolroom, two?");
    await waitUntil(() => expect(two.runs.requests).toHaveLength(2));
    expect((await queriesOf(one.service, id)).map(({ text }) => text)).toEqual(["one?", "two?"]);
    expect(one.runs.requests).toEqual([]);
  });

  it("AGT-13 whose run ends afterwards still gives that run's answer, and none of its own", async () => {
    const [one, two] = await startTwo();
    const { id } = await one.service.create(LOCAL_OWNER, testSettings());
    await say(one.service, id, "Hey Toolroom, one?");
    await waitUntil(() => expect(one.runs.requests).toHaveLength(1));
    one.seemDead();
    await say(two.service, id, "Hey Toolroom, two?");
    await waitUntil(() => expect(two.runs.requests.map(({ title }) => title)).toEqual(["two?"]));
    await one.runs.end(one.runs.requests[0]?.id ?? "", "succeeded", "1");
    await two.service.sweep();
    await waitUntil(async () => expect((await queriesOf(two.service, id))[0]?.answer).toBe("1"));
    expect([one.runs.requests.length, two.runs.requests.length]).toEqual([1, 1]);
  });

  it("AGT-13 and stops hands a watched file to another one, which goes on at the same line", async () => {
    const [one, two] = await startTwo();
    const file = path.join(folder, "talk.txt");
    writeFileSync(file, "Hey Toolroom, one?\n");
    const { id } = await one.service.create(LOCAL_OWNER, testSettings({ source: { kind: "file", path: "talk.txt" } }));
    await waitUntil(() => expect(one.runs.requests).toHaveLength(1));
    await one.runs.end(one.runs.requests[0]?.id ?? "", "succeeded", "1");
    await waitUntil(async () => expect((await queriesOf(two.service, id))[0]?.answer).toBe("1"));
    await one.stop();
    appendFileSync(file, "Hey Toolroom, two?\n");
    await waitUntil(() => expect(two.runs.requests.map(({ title }) => title)).toEqual(["two?"]));
    expect((await two.service.get(id)).segments.map(({ text }) => text)).toEqual([
      "Hey Toolroom, one?",
      "Hey Toolroom, two?",
    ]);
  });
});
