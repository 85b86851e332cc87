import { afterEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { RunEvent, RunEventBody, RunTextSlice } from "../../../lib/contract/run";
import { buildMessagesBeforeStep } from "../../../lib/run/build-messages";
import { buildTurns } from "../../../lib/run/build-turns";
import { answered, asked, called, DONE, returned, runLog, said } from "../../../lib/run/run-log.test-support";
import { createRunStore } from "./db/run-store";
import { SETTINGS, scratchDatabases, startLife } from "./run-service.test-support";

const databases = scratchDatabases();
afterEach(() => databases.remove());

const ID = "run_aaaaaaaa1";
const MIB = 1024 * 1024;

/** A server with one run that is over, whose log is this. */
async function serverWith(...log: RunEventBody[]) {
  const scratch = await databases.open();
  const life = await startLife([], { scratch });
  const events = runLog(...log);
  const store = createRunStore({ db: scratch.db });
  const run = { id: ID, settings: SETTINGS, source: "agent", actor: LOCAL_OWNER, status: "succeeded" } as const;
  const none = { parentId: null, parentStep: null, parentResults: null, transcriptId: null };
  await store.create({ ...run, ...none, title: "x", startedAt: 1 }, events);
  return { runs: life.runs, events };
}

/** The answer, once it is known to be small enough for a page. */
function bounded<T>(answer: T): T {
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(MIB);
  return answer;
}

async function wholeText(read: (offset: number) => Promise<RunTextSlice>): Promise<string> {
  let text = "";
  for (;;) {
    const slice = bounded(await read(text.length));
    text += slice.text;
    if (text.length >= slice.chars) return text;
  }
}

async function allEvents(runs: Awaited<ReturnType<typeof serverWith>>["runs"]): Promise<RunEvent[]> {
  const events = [...bounded(await runs.get(ID)).events];
  while ((events[0]?.index ?? 0) > 0) {
    const page = bounded(await runs.events(ID, events[0]?.index ?? 0));
    expect(page.older).toBe(page.events[0]?.index);
    events.unshift(...page.events);
  }
  return events;
}

describe("a run with 10,000 calls", () => {
  const COUNT = 10_000;
  const calls = Array.from({ length: COUNT }, (_, at): [string, string] => ["echo", JSON.stringify({ at })]);
  const batch = () =>
    serverWith(
      said("all of it"),
      asked(1),
      answered(1, "", calls),
      ...calls.map(([name, args], at) => called(1, at, name, args)),
      ...calls.map(([name], at) => returned(1, at, name, `result ${at}`)),
      asked(2),
      answered(2, "done"),
      DONE,
    );

  it("is read in pages under 1 MiB, newest first, that together hold every event, call and result", async () => {
    const { runs, events } = await batch();
    const newest = bounded(await runs.get(ID));
    expect(newest.eventCount).toBe(events.length);
    expect(newest.events.at(-1)?.type).toBe("turn_ended");
    expect(newest.events.length).toBeLessThanOrEqual(200);
    const read = await allEvents(runs);
    expect(read.map(({ index }) => index)).toEqual(events.map(({ index }) => index));
    const results = read.filter((event) => event.type === "tool_finished");
    expect(results).toEqual(events.filter((event) => event.type === "tool_finished"));
    const starts = read.filter((event) => event.type === "tool_started");
    expect(starts).toEqual(events.filter((event) => event.type === "tool_started"));
    // The message keeps the first calls; the events of the others tell of them.
    const message = read.find((event) => event.type === "model_finished");
    expect(message?.cut).toMatchObject({ calls: expect.any(Number) });
  });

  it("has its messages, whole, in pieces under 1 MiB", async () => {
    const { runs, events } = await batch();
    const text = await wholeText((offset) => runs.messages(ID, 2, offset));
    expect(JSON.parse(text)).toEqual(buildMessagesBeforeStep(events, 2));
    await expect(runs.messages(ID, 999, 0)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("a run with 50 MB of arguments", () => {
  const args = JSON.stringify({ text: "x".repeat(50 * MIB) });

  it("is read in pages under 1 MiB, and the arguments are read whole in pieces", async () => {
    const { runs } = await serverWith(
      said("go"),
      asked(1),
      answered(1, "", [["echo", args]]),
      called(1, 0, "echo", args),
      returned(1, 0, "echo", "small"),
      DONE,
    );
    const { events } = bounded(await runs.get(ID));
    expect(events).toHaveLength(6);
    const [turn] = buildTurns(events);
    const item = turn?.items[0];
    const call = item?.kind === "step" ? item.step.calls[0] : undefined;
    expect(call?.argumentsCut).toMatchObject({ index: 3, part: "arguments", chars: args.length });
    expect(args.startsWith(call?.argumentsText ?? "?")).toBe(true);
    const cut = call?.argumentsCut;
    if (!cut) throw new Error("the arguments are not cut");
    const text = await wholeText((offset) => runs.payload(ID, cut.index, cut.part, offset));
    expect(text === args).toBe(true);
    const asWritten = await runs.payload(ID, 2, "arguments:c10", 0);
    expect(asWritten.chars).toBe(args.length);
  }, 60_000);
});

describe("the parts of a run that may be long", () => {
  const LONG = "x".repeat(2 * MIB);
  const failed: RunEventBody = {
    type: "tool_finished",
    step: 1,
    callId: "c11",
    name: "echo",
    result: {
      type: "function_result",
      callId: "c11",
      name: "echo",
      exception: { kind: "unexpected", message: LONG },
      editedArguments: LONG,
    },
    status: "failed",
    executionId: null,
    durationMs: 1,
  };

  it("are shortened and loaded on demand: message, text, reasoning, result, error and edited arguments", async () => {
    const answer = answered(1, LONG, [["echo", "{}"]]) as Extract<RunEventBody, { type: "model_finished" }>;
    const reasoned = {
      ...answer,
      message: {
        ...answer.message,
        contents: [
          { type: "reasoning" as const, text: LONG },
          { type: "provider" as const, provider: "acme", value: { secret: LONG } },
          ...answer.message.contents,
        ],
      },
    };
    const { runs } = await serverWith(said(LONG), asked(1), reasoned, returned(1, 0, "echo", LONG), failed, DONE);
    const { events } = bounded(await runs.get(ID));
    expect(events.map(({ cut }) => cut && Object.keys(cut).sort())).toEqual([
      ["text"],
      undefined,
      ["reasoning", "text"],
      ["result"],
      ["editedArguments", "result"],
      undefined,
    ]);
    for (const { index, cut = {} } of events) {
      for (const part of Object.keys(cut) as (keyof typeof cut)[]) {
        expect(await wholeText((offset) => runs.payload(ID, index, part, offset))).toHaveLength(LONG.length);
      }
    }
    await expect(runs.payload(ID, 1, "text", 0)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await expect(runs.payload(ID, 99, "text", 0)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("small events go to pages as they are", async () => {
    const { runs, events } = await serverWith(said("hi"), asked(1), answered(1, "hello"), DONE);
    expect((await runs.get(ID)).events).toEqual(events);
    expect((await runs.readLog(ID)).events).toEqual(events);
  });

  it("a key that an earlier version recorded with a provider's address does not reach a page", async () => {
    const begun = { ...asked(1), endpoint: "openai https://someone:planted@host.example/planted/v1?key=planted" };
    const { runs } = await serverWith(said("hi"), begun, answered(1, "hello"), DONE);
    expect(JSON.stringify([await runs.get(ID), await runs.messages(ID, 1, 0)])).not.toContain("planted");
  });
});

describe("what open pages hear of a run", () => {
  it("is bounded too: a long answer is published shortened, and what is being written by its end", async () => {
    const scratch = await databases.open();
    const long = "y".repeat(2 * MIB);
    const { runs, published, model } = await startLife(
      [
        { text: long, calls: [{ name: "echo", arguments: JSON.stringify({ long }) }] },
        { text: long, reasoning: long, calls: [{ name: "echo", arguments: JSON.stringify({ long }) }], hang: true },
      ],
      { scratch },
    );
    const { id } = await runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" });
    const partial = async () => (await runs.get(id)).partial;
    await expect
      .poll(async () => (await partial())?.calls.length === 1 && model.requests.length, { timeout: 20_000 })
      .toBe(2);
    const detail = bounded(await runs.get(id));
    expect(detail.partial).toMatchObject({ textFrom: long.length - 32_000, text: "y".repeat(32_000) });
    expect(published.some(({ type }) => type === "run_text")).toBe(true);
    for (const event of published) bounded(event);
    await runs.stop(LOCAL_OWNER, id);
  }, 60_000);
});
