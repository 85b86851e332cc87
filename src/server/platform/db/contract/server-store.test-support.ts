import { beforeEach, describe, expect, it } from "vitest";
import { getSettings, testSecretBox } from "../../../features/servers/server.test-support";
import type { ServerStore } from "../../../features/servers/server-store";
import { ADA, expectComparedEdits } from "./compared-edits.test-support";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const secretBox = testSecretBox();
const settings = getSettings({ name: "files", env: [{ name: "TOKEN", value: null }] });
const secrets = { env: { TOKEN: "hunter2-hunter2" } };

export function describeServerStore(createDatabase: CreateDatabase): void {
  describe("stored servers", () => {
    const database = useDatabase(createDatabase);
    let store: ServerStore;
    beforeEach(() => {
      store = database().servers({ secretBox });
    });

    it("settings and secrets survive a restart, and no secret is stored in plain text", async () => {
      const created = await store.create({ settings, secrets });
      await store.credentials.write("files", '{"access_token":"very-secret-token"}');
      await database().restart();
      const reopened = database().servers({ secretBox });
      expect(await reopened.list()).toEqual([{ ...created, settings, secrets, secretsError: null, enabled: true }]);
      expect(await reopened.credentials.read("files")).toBe('{"access_token":"very-secret-token"}');
      const content = await database().readContent();
      expect(content).not.toContain("hunter2");
      expect(content).not.toContain("very-secret");
    });

    it("REG-02 secrets that another key encrypted are a fault of that server, and the list can still be read", async () => {
      await store.create({ settings, secrets });
      const other = database().servers({ secretBox: testSecretBox() });
      const [server] = await other.list();
      expect(server).toMatchObject({ name: "files", secrets: {} });
      expect(server?.secretsError).toMatch(/authenticate/i);
    });

    it("an edit or a delete of another revision is refused with who changed it; a changed policy is an edit too", async () => {
      const { id } = await store.create({ settings, secrets, by: ADA });
      const policy = await store.create({ settings: { ...settings, name: "other" }, secrets });
      expect(await store.setSettings(policy.id, policy.settings, ADA)).toMatchObject({ revision: 2, by: "Ada" });
      await expectComparedEdits({
        edit: (edit) => store.update(id, { settings, secrets }, edit),
        remove: (revision) => store.delete(id, revision),
      });
    });

    it("REG-03 a name is taken once, free again after a delete, and a restore does not take it back", async () => {
      const first = await store.create({ settings, secrets: {} });
      await expect(store.create({ settings, secrets: {} })).rejects.toMatchObject({ code: "CONFLICT" });
      await store.delete(first.id);
      const second = await store.create({ settings, secrets: {} });
      await expect(store.restore(first.id)).rejects.toMatchObject({ code: "CONFLICT" });
      await store.delete(second.id);
      expect(await store.restore(first.id)).toMatchObject({ id: first.id, name: "files" });
      expect(await store.restore("server_unknown")).toBeNull();
    });
  });

  describe("stored knowledge of servers", () => {
    const database = useDatabase(createDatabase);
    let store: ServerStore;
    beforeEach(() => {
      store = database().servers({ secretBox });
    });

    it("keeps the learned protocol over a restart, encrypted, and forgets it when the server is renamed", async () => {
      await store.protocols.write("files", '{"era":"legacy"}');
      await database().restart();
      const reopened = database().servers({ secretBox });
      expect(await reopened.protocols.read("files")).toBe('{"era":"legacy"}');
      expect(await database().readContent()).not.toContain("legacy");
      await reopened.rename("files", "disk");
      expect(await reopened.protocols.read("disk")).toBeNull();
    });

    it("keeps what a server listed and its changes by name, and forgets the sign-in when it is renamed", async () => {
      const changes = [{ at: 2, changes: [{ kind: "added" as const, tool: "b", details: [] }] }];
      await store.keepTools("files", { tools: [{ name: "a" }, 7], listedAt: 1, changes });
      await store.credentials.write("files", "{}");
      await store.rename("files", "disk");
      expect(await store.knowledge()).toEqual([{ name: "disk", listedAt: 1, changes, disabled: false }]);
      expect(await store.listedTools("disk")).toEqual([{ name: "a" }, 7]);
      expect(await store.listedTools("files")).toEqual([]);
      expect(await store.credentials.read("disk")).toBeNull();
      await store.forget("disk");
      expect(await store.knowledge()).toEqual([]);
    });

    it.each([[[]], [[null, [], {}, "a,\n[b"]], [[{ name: "a", text: "],\n[" }, { name: "ä漢😀\u0000\ud800" }]]])(
      "gives back a list as it was: %j",
      async (tools) => {
        await store.keepTools("files", { tools, listedAt: 1, changes: [] });
        expect(await store.listedTools("files")).toEqual(tools);
      },
    );

    it("reads a list that was stored as one JSON text, and nothing from one that is damaged", async () => {
      await store.keepTools("files", { tools: [], listedAt: 1, changes: [] });
      const write = (text: string) => database().execute(`UPDATE "McpServerState" SET tools = '${text}'`);
      await write('[{"name":"a"},7]');
      expect(await store.listedTools("files")).toEqual([{ name: "a" }, 7]);
      await write('[\n{"name":');
      expect(await store.listedTools("files")).toEqual([]);
    });
  });
}
