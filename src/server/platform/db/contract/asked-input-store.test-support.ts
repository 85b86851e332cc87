import { describe, expect, it } from "vitest";
import { type CreateDatabase, useDatabase } from "./store-database.test-support";

export function describeAskedInputStore(createDatabase: CreateDatabase): void {
  describe("requests of tools for input", () => {
    const database = useDatabase(createDatabase);

    it("are kept once for each kind, with the time of the newest, until they are pruned", async () => {
      const store = database().askedInputs();
      const greet = { server: "fast", tool: "fast__greet", kind: "form" as const };
      const sum = { server: "fast", tool: "fast__sum", kind: "sampling" as const };
      await store.save(greet, 100);
      await store.save(greet, 50);
      await store.save(sum, 10);
      await store.save({ ...greet, kind: "url" }, 100);
      expect(await store.list(0)).toEqual([greet, { ...greet, kind: "url" }, sum]);
      expect(await store.list(100)).toEqual([greet, { ...greet, kind: "url" }]);
      await store.prune(100);
      await database().restart();
      expect(await database().askedInputs().list(0)).toEqual([greet, { ...greet, kind: "url" }]);
    });

    it("of a kind that this version does not know are left out", async () => {
      await database().execute(
        `INSERT INTO "AskedInput" ("server", "tool", "kind", "lastAt") VALUES ('a', 'b', 'voice', 1)`,
      );
      expect(await database().askedInputs().list(0)).toEqual([]);
    });
  });
}
