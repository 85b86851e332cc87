import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createScratchDatabase, type ScratchDatabase } from "../../db/test-database";
import type { SecretBox } from "../servers/server-store";
import { createModelProviderStore, type ModelProviderStore } from "./model-provider-store";

/** A real cipher, so that a test can look for plain text in the file. */
function cipherBox(key: Buffer = randomBytes(32)): SecretBox {
  return {
    seal(plain, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12)).setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
  };
}

let now = 1000;
const clock = { now: () => now++, elapsed: () => 0 };
const secretBox = cipherBox();
let scratch: ScratchDatabase;
let store: ModelProviderStore;
beforeEach(async () => {
  scratch = await createScratchDatabase();
  store = createModelProviderStore({ db: scratch.db, secretBox, clock });
});
afterEach(() => scratch.remove());

const LOCAL = {
  name: "local",
  kind: "openai-compatible" as const,
  baseUrl: "http://127.0.0.1:9/v1",
  models: ["small"],
  prices: [{ model: "small", input: 1, output: 2 }],
};

describe("stored model providers", () => {
  it("settings and key survive a restart, and the key stands nowhere in the file in plain text", async () => {
    await store.create(LOCAL, "sk-very-secret-key");
    await store.create({ ...LOCAL, name: "second", baseUrl: null }, null);
    const reopened = createModelProviderStore({ db: await scratch.reopen(), secretBox, clock });
    expect(await reopened.list()).toEqual([
      { ...LOCAL, key: "sk-very-secret-key", keyFault: null },
      { ...LOCAL, name: "second", baseUrl: null, key: null, keyFault: null },
    ]);
    for (const file of [scratch.filePath, `${scratch.filePath}-wal`]) {
      expect(readFileSync(file, "latin1")).not.toContain("very-secret");
    }
  });

  it("an update keeps, changes or forgets the key as it is told, and seals it again for a new name", async () => {
    await store.create(LOCAL, "first-key");
    expect(await store.update("local", { ...LOCAL, models: [] }, undefined)).toMatchObject({
      key: "first-key",
      models: [],
    });
    expect(await store.update("local", { ...LOCAL, name: "moved" }, "next-key")).toMatchObject({
      name: "moved",
      key: "next-key",
      keyFault: null,
    });
    expect(await store.update("moved", { ...LOCAL, name: "moved" }, null)).toMatchObject({ key: null });
    expect((await store.list()).map(({ name }) => name)).toEqual(["moved"]);
    await store.delete("moved");
    expect(await store.list()).toEqual([]);
  });

  it("names are unique, in making and in renaming", async () => {
    await store.create(LOCAL, null);
    await store.create({ ...LOCAL, name: "second" }, null);
    const duplicate = { name: "DuplicateNameError" };
    await expect(store.create(LOCAL, null)).rejects.toMatchObject(duplicate);
    await expect(store.update("second", LOCAL, null)).rejects.toMatchObject(duplicate);
  });

  it("a key that cannot be read is a fault of that provider, and damaged settings hide no other", async () => {
    await store.create(LOCAL, "first-key");
    await store.create({ ...LOCAL, name: "second" }, null);
    await scratch.db.prisma.modelProvider.update({ where: { name: "second" }, data: { settings: "{oops" } });
    const other = createModelProviderStore({ db: scratch.db, secretBox: cipherBox(), clock });
    const [first, second] = await other.list();
    expect(first).toMatchObject({ name: "local", key: null, keyFault: expect.stringMatching(/authenticate/i) });
    expect(second).toMatchObject({ name: "second", baseUrl: null, models: [], prices: [], keyFault: null });
  });
});
