import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createScratchDatabase, type ScratchDatabase } from "../../../platform/db/database.test-support";
import { readListedTools, writeListedTools } from "./listed-tools";

let scratch: ScratchDatabase;
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(() => scratch.remove());

const keep = (tools: unknown[]) => writeListedTools(scratch.db, "files", { tools, listedAt: 1, changes: "[]" });

describe("the stored list of a server's tools", () => {
  it("is text in the database, which every SQLite program reads", async () => {
    await keep([{ name: "ä漢😀" }]);
    const stored = scratch.db.raw.prepare('SELECT typeof(tools) AS type, tools FROM "McpServerState"').get();
    expect(stored).toEqual({ type: "text", tools: '[\n{"name":"ä漢😀"}\n]' });
  });

  it("is moved out of the write-ahead log at once where it is large, so that no other commit has to do it", async () => {
    const tools = [{ name: "large", text: "x".repeat(2_000_000) }];
    await keep(tools);
    expect(readFileSync(scratch.filePath).byteLength).toBeGreaterThan(2_000_000);
    expect(await readListedTools(scratch.db, "files")).toEqual(tools);
  });
});
