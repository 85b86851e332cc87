import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../create-tool-engine";
import { createScratchDatabase, type ScratchDatabase } from "../../db/test-database";
import { settingsOf, testSecretBox } from "./server-fixtures";
import { createServerStore, type ServerStore } from "./server-store";

let scratch: ScratchDatabase;
let store: ServerStore;
const secretBox = testSecretBox();
beforeEach(async () => {
  scratch = await createScratchDatabase();
  store = createServerStore({ db: scratch.db, secretBox, clock: systemClock });
});
afterEach(() => scratch.remove());

const settings = settingsOf({ name: "files", env: [{ name: "TOKEN", value: null }] });
const secrets = { env: { TOKEN: "hunter2-hunter2" } };

describe("stored servers", () => {
  it("settings and secrets survive a restart, and no secret stands in the file in plain text", async () => {
    const created = await store.create({ settings, secrets });
    await store.credentials.write("files", '{"access_token":"very-secret-token"}');
    const reopened = createServerStore({ db: await scratch.reopen(), secretBox, clock: systemClock });
    expect(await reopened.list()).toEqual([{ ...created, settings, secrets, secretsFault: null, enabled: true }]);
    expect(await reopened.credentials.read("files")).toBe('{"access_token":"very-secret-token"}');
    for (const file of [scratch.filePath, `${scratch.filePath}-wal`]) {
      const bytes = readFileSync(file, "latin1");
      expect(bytes).not.toContain("hunter2");
      expect(bytes).not.toContain("very-secret");
    }
  });

  it("REG-02 secrets that another key encrypted are a fault of that server, and the list can still be read", async () => {
    await store.create({ settings, secrets });
    const other = createServerStore({ db: scratch.db, secretBox: testSecretBox(), clock: systemClock });
    const [server] = await other.list();
    expect(server).toMatchObject({ name: "files", secrets: {} });
    expect(server?.secretsFault).toMatch(/authenticate/i);
  });

  it("REG-03 a name is taken once, free again after a delete, and a restore does not steal it", async () => {
    const first = await store.create({ settings, secrets: {} });
    await expect(store.create({ settings, secrets: {} })).rejects.toMatchObject({ name: "DuplicateNameError" });
    await store.delete(first.id);
    const second = await store.create({ settings, secrets: {} });
    await expect(store.restore(first.id)).rejects.toMatchObject({ name: "DuplicateNameError" });
    await store.delete(second.id);
    expect(await store.restore(first.id)).toMatchObject({ id: first.id, name: "files" });
    expect(await store.restore("server_unknown")).toBeNull();
  });

  it("keeps what a server listed and its changes by name, and forgets the sign-in when it is renamed", async () => {
    const changes = [{ at: 2, changes: [{ kind: "added" as const, tool: "b", details: [] }] }];
    await store.keepTools("files", { tools: [{ name: "a" }, 7], listedAt: 1, changes });
    await store.credentials.write("files", "{}");
    await store.rename("files", "disk");
    expect(await store.knowledge()).toEqual([
      { name: "disk", tools: [{ name: "a" }, 7], listedAt: 1, changes, disabled: false },
    ]);
    expect(await store.credentials.read("disk")).toBeNull();
    await store.forget("disk");
    expect(await store.knowledge()).toEqual([]);
  });
});
