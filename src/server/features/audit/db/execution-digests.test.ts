import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_OWNER } from "../../../../lib/contract/actor";
import { createScratchDatabase, type ScratchDatabase } from "../../../platform/db/database.test-support";
import { hashDefinition } from "../../../platform/db/definition-hash";
import { change } from "../../../platform/db/sql";
import { AUDIT_TEST_KEY } from "../audit.test-support";
import { createDigestChain, createMarks } from "../execution-digest";
import type { ExecutionDigestStore } from "../execution-digest-store";
import { createExecutionDigester } from "../execution-digester";
import { verifyExecutions } from "../verify-executions";
import { createExecutionDigestStore } from "./digest-store";

const HOUR = 60 * 60_000;
const START = Date.UTC(2026, 0, 1);
const chain = createDigestChain(AUDIT_TEST_KEY);
const marks = createMarks(AUDIT_TEST_KEY);

let scratch: ScratchDatabase;
let store: ReturnType<typeof createExecutionDigestStore>;
/** Hours since the start. */
let hour: number;
let stopping: boolean;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  onTestFinished(() => scratch.remove());
  store = createExecutionDigestStore({ db: scratch.db, chain, anchor: null });
  hour = 0;
  stopping = false;
});

const run = (sql: string): void => void scratch.db.raw.exec(sql);
const digest = (by: ExecutionDigestStore = store) =>
  createExecutionDigester({
    store: by,
    marks,
    now: () => START + hour * HOUR + 120_000,
    isStopping: () => stopping,
  })();
const verify = (claimers: string[] = []) =>
  verifyExecutions({
    store,
    chain,
    marks,
    ends: [],
    claimers: new Set(claimers),
    localOwner: LOCAL_OWNER,
    hashDefinition,
  });

/** Executions of the hour. */
function record(ids: string[], status = "succeeded", actor: { id: string; name: string } = LOCAL_OWNER): void {
  const at = START + hour * HOUR + 1;
  for (const id of ids) {
    const finishedAt = status === "running" || status === "waiting" ? "NULL" : at + 5;
    run(`INSERT INTO "Execution" (id, status, "toolName", source, "actorId", "actorName", "queuedAt", "finishedAt", "instanceId",
      arguments, result) VALUES ('${id}', '${status}', 'echo', 'api', '${actor.id}', '${actor.name}', ${at}, ${finishedAt}, 'i',
      '{"a":1}', '"${id}"')`);
  }
}

const INTACT = { deleted: 0, unmarked: 0, broken: [] };

describe("the digests of executions", () => {
  it("mark what ended in hours that are over, one digest for each, and nothing twice", async () => {
    expect(await verify()).toEqual({ ...INTACT, intact: 0 });
    record(["a", "b"]);
    await digest();
    expect(await verify()).toEqual({ ...INTACT, intact: 0, unmarked: 2 });
    hour = 1;
    record(["c"]);
    await digest();
    await digest();
    expect(await verify()).toEqual({ ...INTACT, intact: 2, unmarked: 1 });
    hour = 5;
    await digest();
    expect(await verify()).toEqual({ ...INTACT, intact: 3 });
    const kinds = scratch.db.raw.prepare('SELECT kind FROM "ExecutionDigest"').pluck().all();
    expect(kinds).toEqual(["decided_hour", "decided_hour"]);
  });

  it("name executions that were changed, removed or added behind Toolroom's back", async () => {
    record(["a", "b", "c", "d", "e", "f", "g"]);
    hour = 1;
    await digest();
    run(`UPDATE "Execution" SET result = '"x"' WHERE id = 'b'; UPDATE "Execution" SET "actorName" = 'Eve' WHERE id = 'c';
      UPDATE "Execution" SET error = 'late' WHERE id = 'd'; DELETE FROM "Execution" WHERE id = 'e'`);
    run(`UPDATE "Execution" SET seq = 5 WHERE id = 'a'`);
    expect(await verify()).toEqual({
      intact: 2,
      deleted: 0,
      unmarked: 0,
      broken: [
        "4 executions were changed outside Toolroom (b, c, d, a)",
        "1 execution was removed outside Toolroom (number 1)",
      ],
    });
    run(`UPDATE "Execution" SET seq = 100 WHERE id = 'a'; DELETE FROM "Execution" WHERE id = 'g'`);
    hour = 2;
    await digest();
    run(`UPDATE "Execution" SET seq = 50 WHERE id = 'a'`);
    expect((await verify()).broken.at(-1)).toBe("1 execution was added outside Toolroom (a)");
  });

  it("stay true when an execution is pinned, indexed for the search, or taken over from the local owner", async () => {
    record(["a", "b"]);
    hour = 1;
    await digest();
    run('UPDATE "Execution" SET pinned = 1, searchable = 1');
    expect(await verify()).toEqual({ ...INTACT, intact: 2 });
    run(`UPDATE "Execution" SET "actorId" = 'ada', "actorName" = 'Ada'`);
    expect((await verify()).broken).toHaveLength(1);
    expect(await verify(["ada"])).toEqual({ ...INTACT, intact: 2 });
    run(`UPDATE "Execution" SET result = 'x' WHERE id = 'a'`);
    expect((await verify(["ada"])).broken).toEqual(["1 execution was changed outside Toolroom (a)"]);
  });

  it("mark executions that end late in the hour that they end in", async () => {
    record(["a", "b"], "waiting");
    record(["c"], "interrupted");
    record(["d"]);
    hour = 1;
    await digest();
    expect(await verify()).toEqual({ ...INTACT, intact: 1 });
    run(`UPDATE "Execution" SET status = 'succeeded', "finishedAt" = 9 WHERE id = 'a'`);
    // The process that ran it had only lost its database for a while.
    run(`UPDATE "Execution" SET status = 'succeeded', result = '1' WHERE id = 'c'`);
    hour = 3;
    await digest();
    expect(await verify()).toEqual({ ...INTACT, intact: 3 });
    run(`UPDATE "Execution" SET result = '2' WHERE id = 'c'; DELETE FROM "Execution" WHERE id = 'b'`);
    hour = 4;
    await digest();
    expect(await verify()).toMatchObject({ intact: 2, broken: ["1 execution was changed outside Toolroom (c)"] });
  });

  it("count what an admin deleted as accounted for, and what was deleted otherwise as removed", async () => {
    record(["a", "b", "c", "d"]);
    hour = 1;
    await digest();
    await scratch.db.transaction(function* () {
      yield* store.recordDeleted([1, 3], "Ada", START);
      yield* change('DELETE FROM "Execution" WHERE seq IN (1, 3)');
    });
    expect(await verify()).toEqual({ ...INTACT, intact: 2, deleted: 2 });
    run('DELETE FROM "Execution" WHERE seq = 2');
    expect(await verify()).toMatchObject({
      intact: 1,
      deleted: 2,
      broken: ["1 execution was removed outside Toolroom (number 2)"],
    });
    hour = 2;
    record(["e"]);
    hour = 3;
    await digest();
    expect(await verify()).toMatchObject({ intact: 2, deleted: 2 });
  });

  it("are chained: a changed, removed or forged one is named, also where the end is gone", async () => {
    for (hour = 0; hour < 3; hour += 1) record([`e${hour}`]);
    for (hour = 1; hour < 4; hour += 1) await digest();
    const last = await store.newest();
    expect(last?.seq).toBe(3);
    const broken = async (sql: string) => {
      run(`SAVEPOINT try; ${sql}`);
      const found = (await verify()).broken;
      run("ROLLBACK TO try; RELEASE try");
      return found.join("; ");
    };
    expect(await broken("SELECT 1")).toBe("");
    expect(await broken('UPDATE "ExecutionDigest" SET marks = zeroblob(16) WHERE seq = 2')).toContain(
      "digest 2 was changed",
    );
    expect(await broken('DELETE FROM "ExecutionDigest" WHERE seq = 1')).toContain("digest 1 was changed, removed");
    expect(await broken('DELETE FROM "ExecutionDigest" WHERE seq = 3')).toContain(
      "3 entries were written, 2 are there",
    );
    expect(await broken(`DELETE FROM "Setting" WHERE key = 'executions.head'`)).toContain("the sealed end of the log");
    const all = `DELETE FROM "ExecutionDigest"; DELETE FROM "Setting" WHERE key = 'executions.head'`;
    run(`SAVEPOINT try; ${all}`);
    const ends = [{ seq: 3, hash: last?.hash ?? "", source: "that the anchor file names" }];
    const shortened = {
      store,
      chain,
      marks,
      ends,
      claimers: new Set<string>(),
      localOwner: LOCAL_OWNER,
      hashDefinition,
    };
    expect((await verifyExecutions(shortened)).broken).toEqual([
      expect.stringContaining("digest 1: the sealed end of the log"),
    ]);
    run("ROLLBACK TO try; RELEASE try");
  });

  it("are made in parts for a busy hour, by one of two processes, and not while the server stops", async () => {
    const values = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)`;
    run(`INSERT INTO "Execution" (id, status, "toolName", source, "actorId", "actorName", "queuedAt", "instanceId", arguments)
      ${values} SELECT 'x' || i, 'succeeded', 'echo', 'api', 'a', 'A', ${START}, 'i', '{}' FROM n`);
    hour = 1;
    const other = createExecutionDigestStore({ db: scratch.db, chain, anchor: null });
    stopping = true;
    await digest();
    expect(await store.newest()).toBeNull();
    stopping = false;
    await Promise.all([digest(), digest(other)]);
    await digest();
    expect((await store.newest())?.seq).toBe(3);
    expect(await verify()).toEqual({ ...INTACT, intact: 12_000 });
  });

  /** A call that waited for a decision. */
  function decide(id: string, more = "'ada', 'Ada', NULL"): void {
    const times = `${START}, ${START + HOUR}, ${START + 2}`;
    run(`INSERT INTO "Approval" ("executionId", status, "requestedAt", "expiresAt", "decidedAt", "deciderId", "deciderName", reason)
      VALUES ('${id}', 'approved', ${times}, ${more})`);
  }

  it("cover who decided on a call, and that no decision was asked for", async () => {
    record(["a", "b", "c"]);
    decide("a");
    decide("b");
    hour = 1;
    await digest();
    expect(await verify()).toEqual({ ...INTACT, intact: 3 });
    // An allowance for the rest of the run is given and revoked later.
    run(`UPDATE "Approval" SET scope = 'run', "revokedAt" = 7, "revokerId" = 'ada', "revokerName" = 'Ada'`);
    expect(await verify()).toEqual({ ...INTACT, intact: 3 });
    for (const change of [
      `UPDATE "Approval" SET "deciderId" = 'eve' WHERE "executionId" = 'a'`,
      `UPDATE "Approval" SET "deciderName" = 'Eve' WHERE "executionId" = 'a'`,
      `UPDATE "Approval" SET status = 'rejected' WHERE "executionId" = 'a'`,
      `UPDATE "Approval" SET reason = 'fine' WHERE "executionId" = 'a'`,
      `UPDATE "Approval" SET "requestedArguments" = '{}' WHERE "executionId" = 'a'`,
      `DELETE FROM "Approval" WHERE "executionId" = 'a'`,
    ]) {
      run(`SAVEPOINT try; ${change}`);
      expect([change, (await verify()).broken]).toEqual([change, ["1 execution was changed outside Toolroom (a)"]]);
      run("ROLLBACK TO try; RELEASE try");
    }
    decide("c", "'eve', 'Eve', NULL");
    expect((await verify()).broken).toEqual(["1 execution was changed outside Toolroom (c)"]);
  });

  it("wait for the decision on a call that has ended", async () => {
    record(["a"], "cancelled");
    decide("a");
    run(`UPDATE "Approval" SET status = 'open', "decidedAt" = NULL, "deciderId" = NULL, "deciderName" = NULL`);
    hour = 1;
    await digest();
    run(`UPDATE "Approval" SET status = 'withdrawn', "decidedAt" = 9`);
    hour = 2;
    await digest();
    expect(await verify()).toEqual({ ...INTACT, intact: 1 });
  });

  it("of earlier versions, which mark calls without decisions, stay true", async () => {
    record(["a"]);
    decide("a");
    const [row] = await store.readNext(0, 9, 9);
    if (row === undefined) throw new Error("no execution");
    const mark = marks.mark({ ...row, approval: null });
    await store.append(0, { kind: "hour", at: START + HOUR, actor: null, toSeq: 1, open: [], marks: mark });
    expect(await verify()).toEqual({ ...INTACT, intact: 1 });
  });

  it("name executions that were appended with the time of an hour that was closed before", async () => {
    record(["a"]);
    hour = 5;
    record(["b"]);
    await digest();
    hour = 0;
    record(["forged"]);
    const broken = [expect.stringMatching(/^1 execution was recorded with a time of an hour .*\(forged\)$/)];
    expect(await verify()).toEqual({ intact: 1, deleted: 0, unmarked: 2, broken });
    hour = 6;
    record(["c"]);
    hour = 7;
    await digest();
    expect(await verify()).toEqual({ intact: 4, deleted: 0, unmarked: 0, broken });
  });

  it("cover the definitions that executions ran", async () => {
    const definition = {
      name: "echo",
      description: "Echoes",
      type: "function" as const,
      handler: "echo",
      parameters: { type: "object" },
      implementation: { type: "mock" as const, mock_response: 1 },
    };
    const hash = hashDefinition(definition);
    run(
      `INSERT INTO "Definition" (hash, "toolName", json) VALUES ('${hash}', 'echo', '${JSON.stringify(definition)}')`,
    );
    record(["a", "b"]);
    run(`UPDATE "Execution" SET "definitionHash" = '${hash}'`);
    hour = 1;
    await digest();
    expect(await verify()).toEqual({ ...INTACT, intact: 2 });
    run(`UPDATE "Definition" SET json = replace(json, 'Echoes', 'Deletes')`);
    expect((await verify()).broken).toEqual(["1 definition was changed outside Toolroom (echo)"]);
    run(`UPDATE "Definition" SET json = 'no JSON'`);
    expect((await verify()).broken).toEqual(["1 definition was changed outside Toolroom (echo)"]);
    run(`PRAGMA foreign_keys = OFF; DELETE FROM "Definition"; PRAGMA foreign_keys = ON`);
    expect((await verify()).broken).toEqual(["the definitions of 2 executions were removed outside Toolroom"]);
  });
});
