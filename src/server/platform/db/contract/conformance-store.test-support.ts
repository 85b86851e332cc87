import { beforeEach, describe, expect, it } from "vitest";
import type { ConformanceCheck } from "../../../../lib/contract/conformance";
import { KEPT_CONFORMANCE_RUNS } from "../../../../lib/contract/conformance-outcome";
import type { ConformanceStore } from "../../../features/conformance/conformance-store";
import { testSecretBox } from "../../../features/servers/server.test-support";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const ADA = { id: "ada", name: "Ada" };
const CHECK: ConformanceCheck = {
  id: "oauth/pkce",
  group: "oauth",
  title: "PKCE",
  outcome: "failed",
  message: "no S256",
};
const VERSIONS = { toolroom: "1.0.0", suite: null, protocol: ["2025-11-25"], server: "files 1.0.0" };

export function describeConformanceStore(createDatabase: CreateDatabase): void {
  describe("runs of conformance checks", () => {
    const database = useDatabase(createDatabase);
    let store: ConformanceStore;
    beforeEach(() => {
      store = database().conformance("here");
    });
    const create = (id: string, server = "files") =>
      store.create({ id, server, parts: "all", actor: ADA, startedAt: 5 });
    const finish = (id: string, newFailures: string[] = []) =>
      store.finish(id, {
        status: "finished",
        finishedAt: 9,
        error: null,
        result: { checks: [CHECK], versions: VERSIONS, comparison: { before: null, newFailures, fixed: [] } },
      });

    it("are stored as running, and with their checks once they have ended", async () => {
      const counts = { failed: 0, warning: 0, passed: 0, skipped: 0 };
      expect(await create("a")).toMatchObject({ id: "a", server: "files", status: "running", actor: ADA, counts });
      await store.saveStep("a", "ping");
      expect(await store.find("a")).toMatchObject({ step: "ping", checks: [], comparison: null });
      expect(await store.findLastFinished("files")).toBeNull();
      expect(await finish("a", ["oauth/pkce"])).toBe(true);
      expect(await store.find("a")).toMatchObject({
        status: "finished",
        finishedAt: 9,
        step: null,
        checks: [CHECK],
        versions: VERSIONS,
        counts: { ...counts, failed: 1 },
        newFailures: 1,
      });
      expect(await store.findLastFinished("files")).toEqual({ id: "a", checks: [CHECK] });
      expect(await finish("a")).toBe(false);
      expect(await store.find("b")).toBeNull();
    });

    it("are ended by the instance that has them, or by one that finds them left", async () => {
      await create("a");
      const other = database().conformance("there");
      const end = { status: "interrupted", finishedAt: 7, error: "ended", result: null } as const;
      expect(await other.finish("a", end)).toBe(false);
      expect(await store.running()).toEqual([{ id: "a", owner: "here" }]);
      expect(await other.finish("a", end, "here")).toBe(true);
      expect(await store.running()).toEqual([]);
    });

    it("keep the newest of each server, and those that run", async () => {
      await create("running");
      for (let at = 0; at < KEPT_CONFORMANCE_RUNS + 3; at += 1) {
        await create(`run-${at}`);
        await finish(`run-${at}`);
      }
      await create("other", "disk");
      const kept = (await store.list("files")).map(({ id }) => id);
      expect(kept).toHaveLength(KEPT_CONFORMANCE_RUNS + 1);
      expect(kept[0]).toBe(`run-${KEPT_CONFORMANCE_RUNS + 2}`);
      expect(kept.at(-1)).toBe("running");
      expect(await store.list("disk")).toHaveLength(1);
    });

    it("follow their server to another name, and go with it", async () => {
      await create("a");
      const servers = database().servers({ secretBox: testSecretBox() });
      await servers.rename("files", "disk");
      expect((await store.list("disk")).map(({ id }) => id)).toEqual(["a"]);
      await servers.forget("disk");
      expect(await store.list("disk")).toEqual([]);
    });

    it("are listed although another row is damaged", async () => {
      await create("a");
      await create("b");
      await database().execute(`UPDATE "ConformanceRun" SET status = 'unknown', counts = '{' WHERE id = 'a'`);
      expect((await store.list("files")).map(({ id }) => id)).toEqual(["b"]);
    });
  });
}
