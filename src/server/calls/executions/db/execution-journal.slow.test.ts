import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { createScratchDatabase, quietLogger, type ScratchDatabase } from "../../../platform/db/database.test-support";
import { anEnd, aStart, systemClock } from "../execution.test-support";
import type { ExecutionStore } from "../execution-store";
import { createExecutionStore } from "./execution-store";
import { interruptOrphans } from "./interrupt-orphans";

let scratch: ScratchDatabase;
let store: ExecutionStore;
const children: ChildProcess[] = [];

async function open(options: { maxLockWaitMs?: number } = {}): Promise<void> {
  scratch = await createScratchDatabase(options);
  store = createExecutionStore({ db: scratch.db, logger: quietLogger(), instanceId: "inst_a", clock: systemClock });
}
beforeEach(() => open());
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await store.close();
  await scratch.remove();
});

/** A process of its own that runs `code` as a module; gives it with the lines that it prints. */
function startChild(code: string, loader: string[] = []) {
  const child = spawn(process.execPath, [...loader, "--input-type=module", "--eval", code], {
    cwd: process.cwd(),
    stdio: ["pipe", "pipe", "inherit"],
  });
  children.push(child);
  let printed = "";
  const waiting: (() => void)[] = [];
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
    for (const look of waiting) look();
  });
  return {
    child,
    lines: () => printed.split("\n").slice(0, -1),
    untilPrinted: (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => printed.includes(text) && resolve();
        waiting.push(look);
        look();
      }),
    ended: new Promise<void>((resolve) => child.once("exit", () => resolve())),
  };
}

/** Another program that holds the write lock until its stdin ends. */
function lockHolder() {
  return startChild(`
    import Database from "./scripts/sqlite.mjs";
    const raw = new Database(${JSON.stringify(scratch.filePath)});
    raw.exec("BEGIN IMMEDIATE");
    console.log("locked");
    process.stdin.on("end", () => { raw.exec("COMMIT"); raw.close(); process.exit(0); }).resume();
  `);
}

describe("one connection for every writer", () => {
  it("an acknowledged start is visible to another connection", async () => {
    const start = aStart();
    await store.begin(start);
    const reader = startChild(`
      import Database from "./scripts/sqlite.mjs";
      const raw = new Database(${JSON.stringify(scratch.filePath)}, { readonly: true });
      console.log(raw.prepare("SELECT status FROM Execution WHERE id = ?").pluck().get(${JSON.stringify(start.id)}));
    `);
    await reader.ended;
    expect(reader.lines()).toEqual(["running"]);
  });

  it("rows that come one by one are committed in their turn of the event loop, and after a crowded turn at its end", async () => {
    async function waitsForTurn(work: () => Promise<unknown>): Promise<boolean> {
      let ended = false;
      setImmediate(() => {
        ended = true;
      });
      await work();
      const waited = ended;
      await new Promise((resolve) => setImmediate(resolve));
      return waited;
    }
    const lone = () => store.begin(aStart());
    const crowded = () => Promise.all([store.begin(aStart()), store.begin(aStart())]);
    const waited: boolean[] = [];
    for (const work of [lone, lone, crowded, lone, lone]) waited.push(await waitsForTurn(work));
    expect(waited).toEqual([false, false, false, true, false]);
  });

  it("a call is not written into another writer's open transaction", async () => {
    const { raw } = scratch.db;
    const start = aStart();
    raw.exec("BEGIN");
    const begun = store.begin(start);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    raw.exec("ROLLBACK");
    await begun;
    expect((await store.find(start.id))?.status).toBe("running");
  });
});

describe("a database that cannot be written", () => {
  it("locked by another program: calls wait and succeed, and the event loop stays free", async () => {
    const before = aStart();
    await store.begin(before);
    const holder = lockHolder();
    await holder.untilPrinted("locked");
    const start = aStart();
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 5);
    const begun = store.begin(start);
    await waitUntil(() => turns > 20);
    holder.child.stdin?.end();
    await begun;
    clearInterval(ticking);
    await store.finish(start, anEnd(start));
    await store.finish(before, anEnd(before));
    expect((await store.find(start.id))?.status).toBe("succeeded");
    expect((await store.find(before.id))?.status).toBe("succeeded");
  });

  it("locked for too long: says so, keeps what was acknowledged, and writes the end later", async () => {
    await store.close();
    await scratch.remove();
    await open({ maxLockWaitMs: 150 });
    const running = aStart();
    await store.begin(running);
    const holder = lockHolder();
    await holder.untilPrinted("locked");
    const refusal = { name: "JournalError", message: "the database is locked by another program" };
    await expect(store.begin(aStart())).rejects.toMatchObject(refusal);
    await expect(store.finish(running, anEnd(running))).rejects.toMatchObject(refusal);
    expect((await store.find(running.id))?.status).toBe("running");
    holder.child.stdin?.end();
    await holder.ended;
    await store.drain();
    expect((await store.find(running.id))?.status).toBe("succeeded");
    expect((await store.counts()).executions).toBe(1);
  });

  it("a full disk: says so, rows that fit are kept, and the end is written when there is room again", async () => {
    const { raw } = scratch.db;
    const running = aStart();
    await store.begin(running);
    const pages = Number(raw.pragma("page_count", { simple: true }));
    raw.pragma(`max_page_count = ${pages + 8}`);
    const small = aStart();
    const large = aStart({ argumentsText: `"${"x".repeat(500_000)}"` });
    const results = await Promise.allSettled([
      store.begin(small),
      store.begin(large),
      store.finish(running, anEnd(running, { resultText: `"${"y".repeat(500_000)}"` })),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(results[1]).toMatchObject({ reason: { name: "JournalError", message: "the disk is full" } });
    expect(await store.find(large.id)).toBeNull();
    expect((await store.find(small.id))?.status).toBe("running");
    expect((await store.find(running.id))?.status).toBe("running");
    raw.pragma(`max_page_count = ${pages + 10_000}`);
    await store.drain();
    expect((await store.find(running.id))?.status).toBe("succeeded");
  });

  it("a read-only database: says so", async () => {
    scratch.db.raw.pragma("query_only = ON");
    await expect(store.begin(aStart())).rejects.toMatchObject({
      name: "JournalError",
      message: "the database is read-only",
    });
    scratch.db.raw.pragma("query_only = OFF");
  });
});

describe("the end of the process", () => {
  it("kill -9 under load: everything acknowledged is there, and the next start ends what was running", async () => {
    const at = (file: string) => JSON.stringify(path.resolve(file));
    // A file, since what is appended outlives the process and never waits for a reader as a pipe does.
    const acknowledged = `${scratch.filePath}.acknowledged`;
    const victim = startChild(
      `
      import { appendFileSync } from "node:fs";
      import { openSqlite } from ${at("src/server/platform/db/sqlite/sqlite-database.ts")};
      import { quietLogger } from ${at("src/server/platform/db/database.test-support.ts")};
      import { createExecutionStore } from ${at("src/server/calls/executions/db/execution-store.ts")};
      import { aStart, anEnd, systemClock as clock } from ${at("src/server/calls/executions/execution.test-support.ts")};
      const logger = quietLogger();
      const db = await openSqlite({ url: ${JSON.stringify(scratch.url)}, logger });
      const store = createExecutionStore({ db, logger, instanceId: "inst_b", clock });
      const say = (line) => appendFileSync(${JSON.stringify(acknowledged)}, line + "\\n");
      const left = aStart({ id: "exec_left_running" });
      await store.begin(left);
      say("begun " + left.id);
      let ended = 0;
      const lane = async () => {
        for (;;) {
          const start = aStart();
          await store.begin(start);
          say("begun " + start.id);
          await store.finish(start, anEnd(start));
          say("ended " + start.id);
          ended += 1;
          if (ended === 100) console.log("a hundred");
        }
      };
      for (let i = 0; i < 16; i += 1) void lane();
    `,
      ["--import", "tsx"],
    );
    await victim.untilPrinted("a hundred");
    victim.child.kill("SIGKILL");
    await victim.ended;

    const lines = readFileSync(acknowledged, "utf8")
      .split("\n")
      .slice(0, -1)
      .map((line) => line.split(" "));
    const listIds = (what: string) => lines.filter(([word]) => word === what).map(([, id]) => id ?? "");
    expect(listIds("ended").length).toBeGreaterThanOrEqual(100);
    expect(victim.child.signalCode).toBe("SIGKILL");
    const interrupted = await interruptOrphans(scratch.db, quietLogger());
    expect(interrupted).toContain("exec_left_running");
    for (const id of listIds("ended")) expect((await store.summary(id))?.status).toBe("succeeded");
    for (const id of listIds("begun"))
      expect(["succeeded", "interrupted"]).toContain((await store.summary(id))?.status);
    expect((await store.counts()).running).toBe(0);
    const left = await store.find("exec_left_running");
    expect(left).toMatchObject({
      status: "interrupted",
      errorKind: "interrupted",
      error: "Interrupted: the server ended while this call was running",
    });
    expect(left?.finishedAt).toBeGreaterThanOrEqual(left?.queuedAt ?? Number.NaN);
  });
});
