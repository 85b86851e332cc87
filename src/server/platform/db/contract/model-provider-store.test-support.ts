import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { ModelProviderStore } from "../../../features/models/model-provider-store";
import type { SecretBox } from "../../../features/servers/server-store";
import { ADA, expectComparedEdits } from "./compared-edits.test-support";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

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

const LOCAL = {
  name: "local",
  kind: "openai-compatible" as const,
  baseUrl: "http://127.0.0.1:9/v1",
  models: ["small"],
  prices: [{ model: "small", input: 1, output: 2 }],
};

export function describeModelProviderStore(createDatabase: CreateDatabase): void {
  describe("stored model providers", () => {
    const database = useDatabase(createDatabase);
    const secretBox = cipherBox();
    let now = 1000;
    const clock = { now: () => now++, elapsed: () => 0 };
    let store: ModelProviderStore;
    beforeEach(() => {
      store = database().modelProviders({ secretBox, clock });
    });

    it("settings and key survive a restart, and the key is stored nowhere in plain text", async () => {
      await store.create(LOCAL, "sk-very-secret-key");
      await store.create({ ...LOCAL, name: "second", baseUrl: null }, null);
      await database().restart();
      const reopened = database().modelProviders({ secretBox, clock });
      const lastEdit = { revision: 1, by: null, at: expect.any(Number) };
      expect(await reopened.list()).toEqual([
        { ...LOCAL, key: "sk-very-secret-key", keyFault: null, lastEdit },
        { ...LOCAL, name: "second", baseUrl: null, key: null, keyFault: null, lastEdit },
      ]);
      expect(await database().readContent()).not.toContain("very-secret");
    });

    it("an edit or a delete of another revision is refused with who changed it", async () => {
      await store.create(LOCAL, "key", ADA);
      await expectComparedEdits({
        edit: (edit) => store.update("local", LOCAL, undefined, edit),
        remove: (revision) => store.delete("local", revision),
      });
    });

    it("an update keeps, changes or removes the key, and encrypts it again for a new name", async () => {
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

    it("names are unique when a provider is created or renamed", async () => {
      await store.create(LOCAL, null);
      await store.create({ ...LOCAL, name: "second" }, null);
      const duplicate = { code: "CONFLICT" };
      await expect(store.create(LOCAL, null)).rejects.toMatchObject(duplicate);
      await expect(store.update("second", LOCAL, null)).rejects.toMatchObject(duplicate);
    });

    it("a key that cannot be read is a fault of that provider, and damaged settings hide no other", async () => {
      await store.create(LOCAL, "first-key");
      await store.create({ ...LOCAL, name: "second" }, null);
      await database().execute(`UPDATE "ModelProvider" SET settings = '{oops' WHERE name = 'second'`);
      const other = database().modelProviders({ secretBox: cipherBox(), clock });
      const [first, second] = await other.list();
      expect(first).toMatchObject({ name: "local", key: null, keyFault: expect.stringMatching(/authenticate/i) });
      expect(second).toMatchObject({ name: "second", baseUrl: null, models: [], prices: [], keyFault: null });
    });
  });
}
