import { beforeEach, describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../../lib/contract/tool-definition";
import type { StoredTool, ToolStore } from "../../../features/tools/tool-store";
import { ADA, expectComparedEdits } from "./compared-edits.test-support";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const duplicate = { code: "CONFLICT" };

function definition(name: string, extra: Record<string, unknown> = {}): ToolDefinition {
  return {
    name,
    description: "A tool of the catalog",
    type: "function",
    handler: name,
    parameters: { type: "object" },
    implementation: { type: "mock", mock_response: null },
    ...extra,
  };
}

export function describeToolStore(createDatabase: CreateDatabase): void {
  describe("stored tools", () => {
    const database = useDatabase(createDatabase);
    let now = 1_795_000_000_000;
    let store: ToolStore;
    beforeEach(() => {
      store = database().tools({ clock: { now: () => ++now } });
    });
    const create = (name: string): Promise<StoredTool> => store.create({ name, definition: definition(name) });

    it("REG-01 tools come back in order of creation, with every key of the definition", async () => {
      const whole = definition("b", {
        "x-vendor": { a: [1, null] },
        parameters: JSON.parse('{"type":"object","__proto__":1}'),
      });
      await store.create({ name: "b", definition: whole });
      await create("a");
      const tools = await store.list();
      expect(tools.map(({ name }) => name)).toEqual(["b", "a"]);
      expect(JSON.stringify(tools[0]?.definition)).toBe(JSON.stringify(whole));
      expect(tools[0]).toMatchObject({ id: expect.stringMatching(/^tool_.{16}$/), enabled: true });
      expect(tools[0]?.createdAt).toBe(tools[0]?.updatedAt);
    });

    it("REG-03 an edit or a delete of another revision is refused with who changed it, and adds no version", async () => {
      await store.create({ name: "a", definition: definition("a"), by: ADA });
      let edits = 0;
      await expectComparedEdits({
        edit: ({ revision, by }) =>
          store.update("a", {
            name: "a",
            definition: definition("a", { title: `Edit ${++edits}` }),
            revision,
            by: by === undefined ? undefined : ADA,
          }),
        remove: (revision) => store.delete("a", revision),
      });
      expect((await store.versions.list("a", 100, 10)).length).toBe(4);
    });

    it("REG-03 a name that is taken is refused, on create, rename and restore", async () => {
      const first = await create("a");
      await create("b");
      await expect(create("a")).rejects.toMatchObject({
        ...duplicate,
        message: expect.stringContaining("'a' is already taken"),
      });
      await expect(store.update("b", { name: "a", definition: definition("a") })).rejects.toMatchObject(duplicate);
      await store.delete("a");
      await create("a");
      await expect(store.restore(first.id)).rejects.toMatchObject(duplicate);
      expect((await store.list()).map(({ name }) => name)).toEqual(["b", "a"]);
    });

    it("an update changes name, definition and time, and keeps the id", async () => {
      const before = await create("a");
      const after = await store.update("a", { name: "c", definition: definition("c", { title: "New" }) });
      expect(after).toMatchObject({ id: before.id, name: "c", createdAt: before.createdAt });
      expect(after.definition.title).toBe("New");
      expect(after.updatedAt).toBeGreaterThan(before.updatedAt);
      await expect(store.update("a", { name: "a", definition: definition("a") })).rejects.toThrow(
        "There is no tool 'a'",
      );
    });

    it("a deleted tool leaves the list, releases its name, and is restored unchanged", async () => {
      const tool = await create("a");
      await store.setEnabled("a", false);
      expect(await store.delete("a")).toEqual({ id: tool.id });
      expect(await store.list()).toEqual([]);
      await expect(store.delete("a")).rejects.toThrow("There is no tool 'a'");
      expect(await store.restore(tool.id)).toMatchObject({ id: tool.id, name: "a", enabled: false });
      expect((await store.list()).length).toBe(1);
      expect(await store.restore(tool.id)).toBeNull();
      expect(await store.restore("tool_unknown")).toBeNull();
    });

    it("a tool of the configuration that was switched off stays off after a restart", async () => {
      await store.setDisabled("echo", true);
      await store.setDisabled("echo", true);
      await store.setDisabled("constructor", true);
      await store.setDisabled("constructor", false);
      await database().restart();
      store = database().tools();
      expect(await store.disabledNames()).toEqual(["echo"]);
    });

    it("a damaged definition does not keep the others from loading", async () => {
      await create("a");
      await create("b");
      await database().execute(`UPDATE "Tool" SET definition = '{broken' WHERE name = 'a'`);
      expect((await store.list()).map((tool) => tool.definition)).toEqual(["{broken", definition("b")]);
    });

    it("AGT-05 an approval mode is kept by name over a restart, and can be changed and removed", async () => {
      await store.setApprovalMode("a", "always", null);
      await store.setApprovalMode("b", "never", null);
      await store.setApprovalMode("a", "never", "always");
      await store.setApprovalMode("b", null, "never");
      await database().restart();
      store = database().tools();
      expect(await store.approvalModes()).toEqual(new Map([["a", "never"]]));
    });

    it("AGT-05 an approval mode that another process changed stays; a damaged one is replaced", async () => {
      expect(await store.setApprovalMode("a", "other_admin", null)).toBe(true);
      for (const [mode, before] of [
        ["never", null],
        ["never", "always"],
        [null, "always"],
        [null, null],
      ] as const) {
        expect(await store.setApprovalMode("a", mode, before)).toBe(false);
      }
      expect((await store.approvalModes()).get("a")).toBe("other_admin");
      await database().execute(`UPDATE "ToolApprovalMode" SET mode = 'odd'`);
      expect((await store.approvalModes()).get("a")).toBe("always");
      expect(await store.setApprovalMode("a", "editor", "always")).toBe(true);
    });
  });
}
