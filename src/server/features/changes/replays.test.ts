import { describe, expect, it, onTestFinished } from "vitest";
import type { Actor } from "../../../lib/contract/actor";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createCallRegistry, createLocks } from "../../platform/coordination/coordination";
import { openInstances } from "../../platform/coordination/postgres/coordination-copies.test-support";
import { quietLogger } from "../../platform/db/database.test-support";
import { HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { createReplays, type ReplayPorts } from "./replays";
import type { ReportStore, StoredReport } from "./report-store";

const ACTOR: Actor = { id: "user_1", name: "User" };
const HEAD = {
  seq: 1,
  id: "exec_1",
  bytes: 10,
  queuedAt: 1,
  client: null,
  actorId: "user_1",
  actorName: "User",
  errorKind: null,
  resultTruncated: 0,
  isPersonal: 0,
};

/** A replay whose first call answers only when it is cancelled. */
function openReplays(
  { calls, locks }: Pick<ReplayPorts, "calls" | "locks">,
  store: Pick<ReportStore, "list" | "writeReplay" | "replayable">,
) {
  const ports: Omit<ReplayPorts, "store"> = {
    calls,
    locks,
    traffic: {
      heads: async () => [HEAD],
      texts: async () => [{ seq: 1, argumentsText: "{}", resultText: "{}" }],
    },
    checker: { prepare: () => async () => [] },
    connections: {} as ReplayPorts["connections"],
    execute: (_name, _args, { signal }) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
    findDefinition: (name) => ({ name }) as ToolDefinition,
    waitingChanges: () => [{ tool: "read", hash: "hash", before: { entry: {} }, after: {} }],
    toBaseline: () => {
      throw new Error("not used");
    },
    clock: { now: Date.now, elapsed: () => 0 },
    logger: quietLogger(),
    publish: () => undefined,
  };
  const replays = createReplays({ ...ports, store: store as ReportStore });
  onTestFinished(() => replays.stop());
  return replays;
}

/** Reports that all copies share. */
function createReports(): { store: Parameters<typeof openReplays>[1]; read: () => StoredReport["replay"] } {
  const report: StoredReport = {
    server: "files",
    tool: "read",
    hash: "hash",
    judgedAt: 1,
    traffic: null,
    replay: null,
  };
  return {
    store: {
      list: async () => [report],
      writeReplay: async (_change, replay) => void Object.assign(report, { replay }),
      replayable: async () => [{ tool: "read", by: ACTOR, at: 1 }],
    },
    read: () => report.replay,
  };
}

const REQUEST = { budget: 10, baseline: null };

describe("a replay that runs", () => {
  it("is cancelled once, and the next one may begin", async () => {
    const { store, read } = createReports();
    const replays = openReplays({ calls: createCallRegistry(), locks: createLocks() }, store);
    expect(await replays.cancelReplay(ACTOR, "files")).toEqual({ cancelled: false });
    await replays.startReplay(ACTOR, "files", REQUEST);
    await expect(replays.startReplay(ACTOR, "files", REQUEST)).rejects.toThrow("is running");
    expect(await replays.cancelReplay(ACTOR, "files")).toEqual({ cancelled: true });
    await waitUntil(() => read()?.status === "cancelled");
    await waitUntil(async () => (await replays.startReplay(ACTOR, "files", REQUEST).catch(() => null)) !== null);
  });

  it.skipIf(!HAS_POSTGRES)(
    "is cancelled at any copy of the server, and no other copy begins one while it runs",
    async () => {
      const { copies } = await openInstances(2);
      const { store, read } = createReports();
      const [first, second] = copies.map((copy) => openReplays(copy, store));
      await first?.startReplay(ACTOR, "files", REQUEST);
      await expect(second?.startReplay(ACTOR, "files", REQUEST)).rejects.toThrow(
        "A replay of 'files' is running: wait for it, or cancel it",
      );
      expect(await second?.cancelReplay(ACTOR, "other")).toEqual({ cancelled: false });
      expect(read()?.status).toBe("running");
      expect(await second?.cancelReplay(ACTOR, "files")).toEqual({ cancelled: true });
      await waitUntil(() => read()?.status === "cancelled");
      expect(read()?.error).toBeNull();
      await waitUntil(async () => (await second?.startReplay(ACTOR, "files", REQUEST).catch(() => null)) != null);
      expect(read()?.status).toBe("running");
    },
  );
});
