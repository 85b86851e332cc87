import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { engineWith, mock, tool } from "../../engine/executor/executor.test-support";
import { listTool } from "../../engine/registry/list-tool";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { createTestToolService } from "./tool-service.test-support";

const ADA = { id: "ada", name: "Ada" };
let scratch: ScratchDatabase;
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(() => scratch.remove());

async function start(config: ToolDefinition[] = []) {
  const engine = engineWith();
  const tools = createTestToolService(engine, scratch.db, {
    accounts: true,
    findUser: async (id) => (id === ADA.id ? ADA : null),
  });
  const outcome = engine.registry.loadConfig({ tools: { registry: config } });
  await tools.load({ outcome, path: "c.json", problems: [] });
  const create = (name: string) => tools.create(LOCAL_OWNER, JSON.stringify(mock(name, 1)));
  const listNumbers = async (name: string) => (await tools.versions(name, null)).items.map(({ number }) => number);
  return { tools, registry: engine.registry, create, listNumbers };
}
const listed = (...names: string[]): ToolDefinition[] =>
  names.map((name) => tool(`a__${name}`, { type: "mcp", server: "a", tool: name }));

describe("a deprecated tool", () => {
  it("of the console has it in its definition: a version, its fingerprint and what models read change, its own text does not", async () => {
    const { tools, registry, create, listNumbers } = await start();
    await create("old");
    await create("new.one");
    const before = tools.get("old");
    await tools.setDeprecation(ADA, "old", { successor: "new.one", note: "Until May" });
    const after = tools.get("old");
    expect(after.deprecation).toEqual({ successor: "new.one", note: "Until May" });
    expect(after.description).toBe(before.description);
    expect(after.definitionHash).not.toBe(before.definitionHash);
    expect((await tools.version("old", 2, null)).change).toMatchObject({
      kind: "wording",
      details: [expect.stringMatching(/deprecated in favor of .*new\.one.*Until May/)],
    });
    const [openai] = await tools.providerFormats("old");
    expect(JSON.parse(openai?.text ?? "")).toMatchObject({
      description: expect.stringMatching(/^Deprecated: use new_one_[0-9a-f]{8} instead\. /),
    });
    expect(registry.toProviderFormat("anthropic", ["old"])).toMatchObject([
      { description: `Deprecated: use new.one instead. ${before.description}` },
    ]);
    await tools.setDeprecation(ADA, "old", null);
    expect(tools.get("old").definitionHash).toBe(before.definitionHash);
    expect(await listNumbers("old")).toEqual([3, 2, 1]);
  });

  it("of a server stays so after another list and a restart, without another version, and ends where it is taken back", async () => {
    const first = await start();
    await first.tools.setServerTools("a", listed("read", "search"));
    await first.tools.setDeprecation(ADA, "a__read", { successor: "a__search", note: null });
    await first.tools.setServerTools("a", listed("read", "search"));
    const { tools, registry, listNumbers } = await start();
    await tools.setServerTools("a", listed("read", "search"));
    expect(tools.get("a__read").deprecation?.successor).toBe("a__search");
    const definition = registry.get("a__read");
    if (definition === undefined) throw new Error("The tool is not registered");
    expect(listTool(definition, "read", (name) => name.slice(3)).description).toMatch(
      /^Deprecated: use search instead\. /,
    );
    expect(await listNumbers("a__read")).toEqual([2, 1]);
    await tools.setDeprecation(ADA, "a__read", null);
    expect(registry.get("a__read")).not.toHaveProperty("deprecated");
    expect(await listNumbers("a__read")).toEqual([3, 2, 1]);
  });

  it("of the configuration is switched and followed by other processes, and cannot be taken back where the file says so", async () => {
    const config = [mock("kept", 1), { ...mock("gone", 1), deprecated: "Not maintained" }];
    const { tools } = await start(config);
    const other = await start(config);
    await tools.setDeprecation(ADA, "kept", { successor: null, note: null });
    await other.tools.reload();
    expect(other.tools.get("kept").deprecation).toEqual({ successor: null, note: null });
    await other.tools.setEnabled(ADA, "kept", false);
    await other.tools.setEnabled(ADA, "kept", true);
    expect(other.registry.get("kept")?.deprecated).toBe(true);
    expect(tools.get("gone").deprecation).toEqual({ successor: null, note: "Not maintained" });
    await expect(tools.setDeprecation(ADA, "gone", null)).rejects.toMatchObject({ code: "READ_ONLY" });
  });

  it("names a successor that exists and does not lead back; one that is deleted later is a warning", async () => {
    const { tools, create } = await start();
    for (const name of ["a", "b", "c"]) await create(name);
    const deprecate = (name: string, successor: string) => tools.setDeprecation(ADA, name, { successor, note: null });
    await expect(deprecate("a", "nope")).rejects.toThrow(/successor.*'nope' is not in the catalog/);
    await expect(deprecate("a", "a")).rejects.toThrow(/another tool/);
    await deprecate("a", "b");
    await deprecate("b", "c");
    await expect(deprecate("c", "a")).rejects.toThrow(/deprecated in favor of 'c'/);
    await tools.delete(ADA, "c");
    expect(tools.get("b").quality.filter(({ severity }) => severity === "warning")).toMatchObject([
      { code: "successor_missing" },
    ]);
  });
});

describe("the owner of a tool", () => {
  it("is who created it, can be another user or none, and is not part of its definition", async () => {
    const { tools, create, listNumbers } = await start();
    await create("own");
    expect(tools.get("own").owner).toEqual(LOCAL_OWNER);
    await expect(tools.setOwner(LOCAL_OWNER, "own", "eve")).rejects.toThrow(/ownerId: this user has no active account/);
    await tools.setOwner(LOCAL_OWNER, "own", ADA.id);
    await tools.update(LOCAL_OWNER, "own", JSON.stringify(mock("renamed", 1)));
    expect(tools.get("renamed").owner).toEqual(ADA);
    expect(await listNumbers("renamed")).toEqual([2, 1]);
    await tools.setOwner(LOCAL_OWNER, "renamed", null);
    const again = await start();
    expect(again.tools.get("renamed").owner).toBeNull();
  });

  it("of a deleted tool is not the owner of the next one with its name", async () => {
    const { tools, create } = await start();
    await create("own");
    await tools.setOwner(LOCAL_OWNER, "own", ADA.id);
    await tools.setFavorite(ADA, "own", true);
    await tools.delete(LOCAL_OWNER, "own");
    await create("own");
    expect([tools.get("own").owner, await tools.favorites(ADA)]).toEqual([LOCAL_OWNER, []]);
  });
});

it("favorites are each user's own, and follow a tool to its new name", async () => {
  const { tools, create } = await start();
  await create("own");
  await tools.setServerTools("a", listed("read"));
  await tools.setFavorite(ADA, "own", true);
  await tools.setFavorite(ADA, "a__read", true);
  await tools.setFavorite(ADA, "a__read", true);
  await expect(tools.setFavorite(ADA, "nope", true)).rejects.toMatchObject({ code: "NOT_FOUND" });
  await tools.update(LOCAL_OWNER, "own", JSON.stringify(mock("renamed", 1)));
  await tools.renameServerTools({ from: "a", to: "b", listed: [] });
  expect(await tools.favorites(ADA)).toEqual(["b__read", "renamed"]);
  expect(await tools.favorites(LOCAL_OWNER)).toEqual([]);
  await tools.setFavorite(ADA, "renamed", false);
  expect(await tools.favorites(ADA)).toEqual(["b__read"]);
});

it("a lens is checked, stays over a restart and a change of the tool, follows a new name, and ends with the tool", async () => {
  const { tools, create } = await start();
  await create("own");
  await tools.setServerTools("a", listed("read"));
  await expect(tools.setLens(ADA, "own", "items[")).rejects.toMatchObject({
    code: "INVALID",
    problems: [{ path: "expression", message: expect.any(String) }],
  });
  await expect(tools.setLens(ADA, "nope", "items")).rejects.toMatchObject({ code: "NOT_FOUND" });
  await tools.setLens(ADA, "own", "items[].id");
  await tools.setLens(ADA, "a__read", "total");
  const { definitionHash } = tools.get("own");
  await tools.update(LOCAL_OWNER, "own", JSON.stringify(mock("renamed", 2)));
  expect(tools.get("renamed").lens).toMatchObject({ expression: "items[].id", by: ADA });
  expect(tools.get("renamed").definitionHash).not.toBe(definitionHash);
  const again = await start();
  await again.tools.setServerTools("a", listed("read"));
  expect([again.tools.getLens("renamed")?.expression, again.tools.getLens("a__read")?.expression]).toEqual([
    "items[].id",
    "total",
  ]);
  await again.tools.delete(LOCAL_OWNER, "renamed");
  await again.create("renamed");
  expect((await again.tools.setLens(ADA, "a__read", null)).lens).toBeNull();
  expect([again.tools.get("renamed").lens, again.tools.getLens("a__read")]).toEqual([null, null]);
});
