import { beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../../lib/contract/actor";
import { testSecretBox } from "../../../features/servers/server.test-support";
import type { UpstreamCredentialStore } from "../../../features/servers/upstream-credential-service";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

const secretBox = testSecretBox();
const DATE = "2026-11-23T00:00:00.000Z";
const ENTERED = { binding: "https://mcp.example", values: { "X-Key": "hunter2-hunter2" } };

export function describeUpstreamCredentialStore(createDatabase: CreateDatabase): void {
  describe("stored credentials of users", () => {
    const database = useDatabase(createDatabase);
    let store: UpstreamCredentialStore;
    beforeEach(async () => {
      store = database().upstreamCredentials({ secretBox });
      for (const id of ["ada", "bob"]) {
        await database().execute(
          `INSERT INTO "User" (id, name, email, "createdAt", "updatedAt") VALUES ('${id}', '${id}', '${id}@x.test', '${DATE}', '${DATE}')`,
        );
      }
    });

    it("belong to one server and one user, survive a restart, and are not stored in plain text", async () => {
      await store.writeValues("files", "ada", ENTERED);
      await store.writeSignIn("files", "bob", '{"tokens":{"access_token":"very-secret-token"}}');
      await store.writeValues("files", LOCAL_OWNER.id, ENTERED);
      await database().restart();
      const reopened = database().upstreamCredentials({ secretBox });
      expect(await reopened.read("files", "ada")).toEqual({ kind: "values", ...ENTERED });
      expect(await reopened.read("files", "bob")).toMatchObject({ kind: "oauth" });
      expect(await reopened.read("files", LOCAL_OWNER.id)).toMatchObject({ kind: "values" });
      expect(await reopened.read("other", "ada")).toBeNull();
      expect(await database().readContent()).not.toMatch(/hunter2|very-secret/);
    });

    it("do not open under another user or another server", async () => {
      await store.writeValues("files", "ada", ENTERED);
      await database().execute(`UPDATE "UpstreamCredential" SET "personId" = 'bob', "userId" = 'bob'`);
      expect(await store.read("files", "bob")).toBeNull();
      await database().execute(`UPDATE "UpstreamCredential" SET "personId" = 'ada', "serverName" = 'other'`);
      expect(await store.read("other", "ada")).toBeNull();
    });

    it("are not given out for a user who is switched off, and go with one who is removed", async () => {
      await store.writeValues("files", "ada", ENTERED);
      await database().execute(`UPDATE "User" SET "disabledAt" = '${DATE}' WHERE id = 'ada'`);
      expect(await store.read("files", "ada")).toBeNull();
      expect(await store.holders("files")).toMatchObject([{ name: "ada", disabled: true }]);
      await database().execute(`DELETE FROM "User" WHERE id = 'ada'`);
      expect(await database().count("UpstreamCredential")).toBe(0);
    });

    it("list servers and users without values, and a sign-in without tokens as pending", async () => {
      await store.writeValues("web", "ada", ENTERED);
      await store.writeSignIn("files", "ada", '{"attempts":[]}');
      await store.writeSignIn("files", "bob", '{"tokens":{}}');
      expect(await store.ofUser("ada")).toEqual([
        { server: "files", kind: "oauth", status: "pending", updatedAt: expect.any(Number) },
        { server: "web", kind: "values", status: "ready", updatedAt: expect.any(Number) },
      ]);
      expect((await store.holders("files")).map(({ personId, status }) => [personId, status])).toEqual([
        ["ada", "pending"],
        ["bob", "ready"],
      ]);
      expect(await store.signIns("ada")).toEqual([{ server: "files", text: '{"attempts":[]}' }]);
      await store.delete("files", "ada");
      await store.writeSignIn("files", "bob", null);
      expect(await store.holders("files")).toEqual([]);
    });

    it("follow their server to its new name, and are forgotten with a server", async () => {
      const servers = database().servers({ secretBox });
      await store.writeValues("files", "ada", ENTERED);
      await store.writeValues("disk", "bob", ENTERED);
      await servers.rename("files", "disk");
      expect(await store.read("disk", "ada")).toEqual({ kind: "values", ...ENTERED });
      expect(await store.read("files", "ada")).toBeNull();
      expect(await store.read("disk", "bob")).toBeNull();
      await servers.forget("disk");
      expect(await database().count("UpstreamCredential")).toBe(0);
    });
  });
}
