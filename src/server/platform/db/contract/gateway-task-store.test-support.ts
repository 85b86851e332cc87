import { beforeEach, describe, expect, it } from "vitest";
import type { StoredTask, TaskStore } from "../../../mcp/gateway/tasks/task-store";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const buildTask = (id: string, owner = "ada", expiresAt = 5000, createdAt = 1000): StoredTask => ({
  id,
  executionId: `exec_${id}`,
  owner,
  calledAs: "files__read",
  createdAt,
  expiresAt,
});

export function describeGatewayTaskStore(createDatabase: CreateDatabase): void {
  describe("tasks of the gateway's clients", () => {
    const database = useDatabase(createDatabase);
    let tasks: TaskStore;
    beforeEach(() => {
      tasks = database().gatewayTasks();
    });

    it("gives back what was stored, to its owner newest first, until it expires", async () => {
      await tasks.create(buildTask("one"));
      await tasks.create(buildTask("two", "ada", 9_000_000_000_000, 2000));
      await tasks.create(buildTask("other", "bob"));
      expect(await tasks.find("one")).toEqual(buildTask("one"));
      expect(await tasks.find("none")).toBeNull();
      expect((await tasks.list("ada", 4999)).map(({ id }) => id)).toEqual(["two", "one"]);
      expect([await tasks.count("ada", 4999), await tasks.count("ada", 5000)]).toEqual([2, 1]);
      await tasks.deleteExpired(5000);
      expect([await tasks.find("one"), await tasks.find("other")]).toEqual([null, null]);
      expect(await tasks.list("ada", 0)).toHaveLength(1);
    });
  });
}
