import { beforeEach, describe, expect, it } from "vitest";
import { toolsetInputSchema } from "../../../../lib/contract/toolset";
import type { ToolsetStore } from "../../../features/toolsets/toolset-store";
import { ADA, expectComparedEdits } from "./compared-edits.test-support";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const SUPPORT = toolsetInputSchema.parse({
  name: "support",
  servers: ["files"],
  overrides: [
    {
      tool: "files__read",
      name: "read",
      arguments: [
        { name: "root", mode: "fixed", value: { deep: [1, null, "é"] } },
        { name: "depth", mode: "hidden" },
      ],
      approval: "always",
      timeoutMs: 500,
    },
  ],
  askReason: true,
});

export function describeToolsetStore(createDatabase: CreateDatabase): void {
  describe("stored toolsets", () => {
    const database = useDatabase(createDatabase);
    let now = 1000;
    const clock = { now: () => now++, elapsed: () => 0 };
    let store: ToolsetStore;
    beforeEach(() => {
      store = database().toolsets({ clock });
    });

    it("survive a restart whole, in the order of names", async () => {
      const created = await store.create(SUPPORT);
      await store.create({ ...SUPPORT, name: "admin", overrides: [] });
      await database().restart();
      const listed = await database().toolsets({ clock }).list();
      expect(listed.map(({ name }) => name)).toEqual(["admin", "support"]);
      expect(listed[1]).toEqual(created);
      expect(created).toMatchObject(SUPPORT);
    });

    it("keep their creation time when they are changed and renamed", async () => {
      const { createdAt } = await store.create(SUPPORT);
      const changed = await store.update("support", { ...SUPPORT, name: "help", tools: ["echo"] });
      expect(changed).toMatchObject({ name: "help", tools: ["echo"], createdAt });
      expect(changed.updatedAt).toBeGreaterThan(createdAt);
      expect(await store.list()).toEqual([changed]);
      await expect(store.update("support", SUPPORT)).rejects.toMatchObject({ code: "NOT_FOUND" });
    });

    it("are edited and deleted by the revision that the user saw, or the edit is refused with who changed it", async () => {
      await store.create(SUPPORT, ADA);
      await expectComparedEdits({
        edit: (edit) => store.update("support", SUPPORT, edit),
        remove: (revision) => store.delete("support", revision),
      });
    });

    it("have one name each, and a deleted one's name is free", async () => {
      await store.create(SUPPORT);
      await store.create({ ...SUPPORT, name: "admin" });
      await expect(store.create(SUPPORT)).rejects.toMatchObject({ code: "CONFLICT" });
      await expect(store.update("admin", SUPPORT)).rejects.toMatchObject({ code: "CONFLICT" });
      await store.delete("support");
      await expect(store.delete("support")).rejects.toMatchObject({ code: "NOT_FOUND" });
      await store.create(SUPPORT);
      expect(await store.list()).toHaveLength(2);
    });
  });
}
