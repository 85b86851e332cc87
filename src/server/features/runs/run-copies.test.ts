import { describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { FunctionResultContent } from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import { buildMessages } from "../../../lib/run/build-messages";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { interruptOrphans } from "../../calls/executions/db/interrupt-orphans";
import { silentLogger } from "../../create-tool-engine";
import type { ScriptedStep } from "../../models/scripted-client.test-support";
import { openInstances } from "../../platform/coordination/postgres/coordination-copies.test-support";
import { STEADY_TIMING } from "../../platform/coordination/single-copy.test-support";
import { openPostgres } from "../../platform/db/postgres/postgres-database";
import { HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { type Life, SETTINGS, startLife } from "./run-service.test-support";

const never = () => new Promise<string>(() => undefined);
const listResults = (events: readonly RunEvent[]): FunctionResultContent[] =>
  buildMessages(events).flatMap(({ contents }) => contents.filter((content) => content.type === "function_result"));

/** What runs need of several instances of the server, each with a model of its own. */
async function openRuns(scripts: ScriptedStep[][], tools: Life["tools"] = {}) {
  const { copies, url } = await openInstances(scripts.length, STEADY_TIMING);
  return await Promise.all(
    scripts.map(async (script, at) => {
      const coordination = copies[at];
      if (coordination === undefined) throw new Error("There are fewer copies than scripts");
      const db = await openPostgres({ url, logger: silentLogger });
      const { id } = coordination.copies.self;
      const life = await startLife(script, {
        scratch: { db },
        instanceId: id,
        tools,
        ports: { ...coordination, takesOver: true },
      });
      coordination.copies.onLost(async () => void (await interruptOrphans(db, silentLogger)));
      await life.runs.load();
      coordination.copies.onLost(life.runs.settleLost);
      onTestFinished(async () => {
        life.runs.beginStop();
        await life.executions.stop(0);
        await life.runs.ended();
        await life.executionStore.close();
        await db.close();
      });
      return {
        ...life,
        db,
        /** The others take it for lost, and it does not know yet. */
        expel: () => db.pool.query(`UPDATE "Copy" SET "endedAt" = clock_timestamp() WHERE "id" = $1`, [id]),
      };
    }),
  );
}

type Copy = Awaited<ReturnType<typeof openRuns>>[number];

const start = async ({ runs }: Copy) => (await runs.start(LOCAL_OWNER, { settings: SETTINGS, text: "Go" })).id;
const statusOf = async ({ runs }: Copy, id: string) => (await runs.get(id)).status;

describe.skipIf(!HAS_POSTGRES)("a run that another instance of the server executes", { timeout: 60_000 }, () => {
  it("AGT-11 shows its partial response, refuses messages as in its own instance, and is stopped from any", async () => {
    const [first, second] = (await openRuns([[{ text: "Once upon a time", hang: true }], [{ text: "Hi" }]])) as [
      Copy,
      Copy,
    ];
    const id = await start(first);
    await waitUntil(async () => (await second.runs.get(id)).partial?.text === "Once upon a time");
    expect(await second.runs.get(id)).toMatchObject({ status: "running", resumable: false });
    await expect(second.runs.send(LOCAL_OWNER, id, "Hm", undefined)).rejects.toMatchObject({ code: "CONFLICT" });
    expect(await second.runs.stop(LOCAL_OWNER, id)).toEqual({ stopped: true });
    expect(await second.runs.get(id)).toMatchObject({ status: "cancelled", partial: null, resumable: true });
    expect((await second.runs.get(id)).events.at(-2)).toMatchObject({ type: "model_finished", partial: true });
    // Then every instance continues it.
    await second.runs.send(LOCAL_OWNER, id, "Go on", undefined);
    await waitUntil(async () => (await statusOf(first, id)) === "succeeded");
    expect(second.model.requests).toHaveLength(1);
  });

  it("AGT-11 is taken by one of those who resume it at once", async () => {
    const copies = await openRuns([[{ text: "Once", hang: true }, { text: "A" }], [{ text: "B" }], [{ text: "C" }]]);
    const [first] = copies as [Copy];
    const id = await start(first);
    await waitUntil(async () => (await first.runs.get(id)).partial !== null);
    await first.runs.stop(LOCAL_OWNER, id);
    const resumed = await Promise.allSettled(copies.map(({ runs }) => runs.resume(LOCAL_OWNER, id)));
    expect(resumed.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await waitUntil(async () => (await statusOf(first, id)) === "succeeded");
    const { events } = await first.runs.get(id);
    expect(events.filter(({ type }) => type === "turn_ended")).toHaveLength(2);
    expect(events.map(({ index }) => index)).toEqual(events.map((_, index) => index));
  });
});

describe.skipIf(!HAS_POSTGRES)("a run of an instance of the server that is lost", { timeout: 60_000 }, () => {
  it("AGT-11 is continued by another one: no finished call runs again, and one that ran is reported as interrupted", async () => {
    let release = (_: string): void => undefined;
    const slow = () => new Promise<string>((resolve) => (release = resolve));
    const calls = [{ name: "echo", arguments: { n: 1 } }, { name: "slow" }];
    const copies = await openRuns([[{ calls }, { text: "Mine" }], [{ text: "Done" }]], { slow });
    const [first, second] = copies as [Copy, Copy];
    const id = await start(first);
    await waitUntil(async () => (await first.runs.get(id)).events.some(({ type }) => type === "tool_finished"));
    await waitUntil(() => first.ran.length === 2);
    await first.expel();
    await waitUntil(async () => (await statusOf(second, id)) === "succeeded");
    // It wakes: what it does now reaches no log.
    release("late");
    await waitUntil(() => first.runs.activeCount() === 0);
    const { events } = await second.runs.get(id);
    expect(listResults(events)).toMatchObject([
      { result: '{"n":1}' },
      { exception: { kind: "interrupted", message: expect.stringContaining("may or may not have taken effect") } },
    ]);
    expect(second.ran).toEqual([]);
    expect(second.model.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(first.model.requests).toHaveLength(1);
    expect(events.filter(({ type }) => type === "turn_ended")).toHaveLength(1);
  });

  it("AGT-11 asks for the response again that was being received, and calls what no instance called yet", async () => {
    const copies = await openRuns([
      [{ text: "Once upon", hang: true }],
      [{ calls: [{ name: "echo" }] }, { text: "Done" }],
    ]);
    const [first, second] = copies as [Copy, Copy];
    const id = await start(first);
    await waitUntil(async () => (await second.runs.get(id)).partial !== null);
    await first.expel();
    await waitUntil(async () => (await statusOf(second, id)) === "succeeded");
    expect(second.ran).toEqual(["echo {}"]);
    await waitUntil(() => first.runs.activeCount() === 0 || first.model.requests.length === 1);
    const { events } = await second.runs.get(id);
    expect(events.map(({ type }) => type).slice(0, 4)).toEqual([
      "user_message",
      "model_started",
      "resumed",
      "model_started",
    ]);
  });

  it("is interrupted where it stood still for long, and where its tools are in the memory of the lost instance", async () => {
    const copies = await openRuns([
      [
        { text: "Once", hang: true },
        { text: "Once", hang: true },
      ],
      [],
    ]);
    const [first, second] = copies as [Copy, Copy];
    const old = await start(first);
    const request = { settings: SETTINGS, text: "Go", source: "check", actor: LOCAL_OWNER } as const;
    const { id: check } = await first.runs.starter.start(request);
    for (const id of [old, check]) await waitUntil(async () => (await second.runs.get(id)).partial !== null);
    await first.db.pool.query(`UPDATE "RunEvent" SET at = at - 7200000 WHERE "runId" = $1`, [old]);
    await first.expel();
    for (const id of [old, check]) await waitUntil(async () => (await statusOf(second, id)) === "interrupted");
    expect((await second.runs.get(old)).resumable).toBe(true);
    expect(second.model.requests).toEqual([]);
  });

  it("is no longer continued after its servers ended ten times in one turn", async () => {
    const [first, second] = (await openRuns([[{ text: "Once", hang: true }], [{ text: "Done" }]])) as [Copy, Copy];
    const id = await start(first);
    await waitUntil(async () => (await second.runs.get(id)).partial !== null);
    await first.db.pool.query(
      `INSERT INTO "RunEvent" ("runId", "index", at, type, body) SELECT $1, n, $2, 'resumed', '{}' FROM generate_series(2, 11) n`,
      [id, Date.now()],
    );
    await first.expel();
    await waitUntil(async () => (await statusOf(second, id)) === "interrupted");
    expect(second.model.requests).toEqual([]);
  });
});

describe.skipIf(!HAS_POSTGRES)("an instance of the server that stops in good order", { timeout: 60_000 }, () => {
  it("AGT-11 leaves its runs to another one at once, with the results of calls that end in time", async () => {
    let finish = (_: string): void => undefined;
    const slow = () => new Promise<string>((resolve) => (finish = resolve));
    const script = [{ calls: [{ name: "slow" }, { name: "hang" }] }];
    const copies = await openRuns([script, [{ text: "Done" }]], { slow, hang: never });
    const [first, second] = copies as [Copy, Copy];
    const id = await start(first);
    await waitUntil(() => first.ran.length === 2);
    first.runs.beginStop();
    finish("in time");
    await waitUntil(async () => listResults((await first.runs.get(id)).events).length === 1);
    await first.executions.stop(50);
    await first.runs.ended();
    // It still gives signs of life.
    await waitUntil(async () => (await statusOf(second, id)) === "succeeded");
    const { events } = await second.runs.get(id);
    expect(listResults(events)).toMatchObject([{ result: "in time" }, { exception: { kind: "interrupted" } }]);
    expect(second.ran).toEqual([]);
    expect(events.some((event) => event.type === "turn_ended" && event.status === "interrupted")).toBe(false);
  });
});
