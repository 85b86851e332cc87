import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LiveEvent, ToolDefinition } from "../../../lib/contract";
import { systemClock } from "../../create-tool-engine";
import { createScratchDatabase, type ScratchDatabase } from "../../db/test-database";
import { engineWith } from "../../engine/executor.test-support";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { recordingConnections, stateWith, testSecretBox } from "./server-fixtures";
import { createServerService } from "./server-service";
import { createServerStore } from "./server-store";

let scratch: ScratchDatabase;
const secretBox = testSecretBox();
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(() => scratch.remove());

const never = new AbortController().signal;
const schema = { type: "object", properties: {} };
const list = (...names: string[]) => names.map((name) => ({ name, inputSchema: schema }));

function start(entries: Record<string, unknown> = {}) {
  const recorded = recordingConnections();
  const catalogue = new Map<string, string[]>();
  const events: LiveEvent[] = [];
  const renames: [string, string][] = [];
  const forgotten: [string, { keepAlways: boolean }][] = [];
  const { validator } = engineWith();
  const service = createServerService({
    connections: recorded.connections,
    store: createServerStore({ db: scratch.db, secretBox, clock: systemClock }),
    setServerTools: (server, definitions: readonly ToolDefinition[]) => {
      const rejected = definitions
        .map(({ name, parameters }) => ({ name, error: validator.checkSchema(parameters) ?? "" }))
        .filter(({ error }) => error !== "");
      catalogue.set(
        server,
        definitions.map(({ name }) => name),
      );
      return rejected;
    },
    isSwitchedOff: (name) => name === "files__off",
    renameServerTools: async (...renamed) => void renames.push(renamed),
    forgetServerTools: async (...server) => void forgotten.push(server),
    configured: { entries, path: "config/toolroom.json" },
    variables: { HOME: "/home/me" },
    maxStoredBytes: 4096,
    rootDir: "/srv/toolroom",
    clock: systemClock,
    logger: recordingLogger(),
    publish: (event) => events.push(event),
  });
  return { service, catalogue, events, renames, forgotten, ...recorded };
}

const files = { name: "files", transport: "stdio" as const, command: "node", args: ["files.mjs"] };

describe("the servers' service", () => {
  it("a server that is added connects with its secrets, and what is shown of it holds none", async () => {
    const { service, applied } = start();
    const detail = await service.create({ ...files, env: [{ name: "TOKEN", value: "hunter2-hunter2" }] });
    expect(applied.get("files")).toMatchObject({
      command: "node",
      enabled: true,
      env: { TOKEN: "hunter2-hunter2" },
    });
    expect(detail.settings).toMatchObject({ env: [{ name: "TOKEN", value: null }] });
    expect(JSON.stringify([detail, service.list()])).not.toContain("hunter2");
    await service.update("files", { ...files, args: ["more.mjs"], env: [{ name: "TOKEN", value: null }] });
    expect(applied.get("files")).toMatchObject({ args: ["more.mjs"], env: { TOKEN: "hunter2-hunter2" } });
  });

  it("bad settings are refused with every field named, and nothing is stored", async () => {
    const { service, applied } = start();
    const bad = {
      name: "a__b",
      transport: "http" as const,
      url: "ftp://example.com",
      headers: [
        { name: "X Y", value: "1" },
        { name: "Auth", value: null },
      ],
    };
    await expect(service.create(bad)).rejects.toThrow(/name must be 1–64/);
    const { problems } = service.checkSettings({ ...bad, name: "ok" }, undefined);
    expect(problems.map(({ field }) => field)).toEqual(["headers[0].name", "url"]);
    expect(service.checkSettings({ ...files, name: "new" }, undefined).problems[0]?.field).toBe("name");
    expect(service.list().items).toEqual([]);
    expect(applied.size).toBe(0);
  });

  it("variables that are not set are noted while the settings are written, and are no problem", () => {
    const { service } = start();
    const args = ["\u0024{HOME}", "\u0024{NOTES_DIR}", "\u0024{PORT:-80}"];
    expect(service.checkSettings({ ...files, args }, undefined)).toEqual({
      problems: [],
      notes: ["NOTES_DIR is not set in Toolroom's environment: it cannot connect until it is, or has a default"],
    });
  });

  it("REG-01 REG-03 servers load from configuration and database; a name that both have stays with the first", async () => {
    await start().service.create(files);
    const { service, applied } = start({
      files: { command: "from-config" },
      broken: { url: 7 },
      bad__name: { command: "x" },
    });
    await service.load();
    expect(service.list().items.map(({ name, origin, target }) => [name, origin, target])).toEqual([
      ["files", "config", "from-config"],
    ]);
    expect(service.list().problems.map(({ name, origin }) => [name, origin])).toEqual([
      ["broken", "config"],
      ["bad__name", "config"],
      ["files", "console"],
    ]);
    expect(applied.get("files")).toMatchObject({ command: "from-config" });
    await expect(service.update("files", files)).rejects.toMatchObject({ code: "READ_ONLY" });
  });

  it("a server that the configuration switches off stays off until it is changed there", async () => {
    const { service, applied } = start({ quiet: { command: "node", disabled: true } });
    await service.load();
    expect(applied.get("quiet")).toMatchObject({ enabled: false });
    await expect(service.setEnabled("quiet", true)).rejects.toMatchObject({ code: "READ_ONLY" });
  });

  it("tools are known before the server answers again, and a change between two lists is kept", async () => {
    const first = start();
    await first.service.create(files);
    first.service.events.onTools("files", list("read", "write"));
    first.service.events.onTools("files", list("read", "search"));
    const detail = first.service.get("files");
    expect(detail.changes[0]?.changes.map(({ kind, tool }) => [kind, tool]).sort()).toEqual([
      ["added", "search"],
      ["removed", "write"],
    ]);
    expect(detail.lastChange).toMatchObject({ breaking: 1, other: 1 });
    await first.service.setEnabled("files", true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const second = start();
    await second.service.load();
    expect(second.catalogue.get("files")).toEqual(["files__read", "files__search"]);
    expect(second.service.get("files").changes).toHaveLength(1);
  });

  it("stored header values are asked for again when they would go to another origin", async () => {
    const { service } = start();
    const remote = { name: "remote", transport: "http" as const, url: "https://one.example/mcp" };
    await service.create({ ...remote, headers: [{ name: "Authorization", value: "Bearer hunter2" }] });
    const kept = [{ name: "Authorization", value: null }];
    const moved = service.update("remote", { ...remote, url: "https://two.example/mcp", headers: kept });
    await expect(moved).rejects.toThrow(/headers\[0\]\.value/);
    const path = await service.update("remote", { ...remote, url: "https://one.example/v2/mcp", headers: kept });
    expect(path.target).toBe("https://one.example/v2/mcp");
  });

  it("a server gets nothing of what an earlier one of its name listed", async () => {
    const first = start();
    await first.service.create(files);
    first.service.events.onTools("files", list("read"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await first.service.delete("files");
    await first.service.create({ ...files, command: "other" });
    const second = start();
    await second.service.load();
    expect(second.service.get("files").tools).toEqual([]);
  });

  it("an entry that is too deep or too large to be walked is shown as malformed, and the others work", async () => {
    const { service, catalogue } = start();
    await service.create(files);
    const deep: Record<string, unknown> = {};
    let at = deep;
    for (let level = 0; level < 5000; level += 1) {
      const next: Record<string, unknown> = {};
      at.properties = next;
      at = next;
    }
    const large = { name: "large", inputSchema: schema, description: "x".repeat(2_000_000) };
    service.events.onTools("files", [{ name: "deep", inputSchema: deep }, large, ...list("fine")]);
    expect(service.get("files").tools.map(({ name, reason }) => [name, reason])).toEqual([
      ["deep", "The entry is nested deeper than 200 levels"],
      ["large", "The entry is larger than 1048576 bytes"],
      ["fine", null],
    ]);
    expect(catalogue.get("files")).toEqual(["files__fine"]);
  });

  it("REG-02 a tool whose schema cannot be used is shown as malformed with the reason", async () => {
    const { service } = start();
    await service.create(files);
    const broken = { name: "b", inputSchema: { type: "object", properties: { a: { type: "nonsense" } } } };
    service.events.onTools("files", [...list("a"), broken]);
    const { tools, toolCount, problemCount } = service.get("files");
    expect({ toolCount, problemCount }).toEqual({ toolCount: 1, problemCount: 1 });
    expect(tools[1]).toMatchObject({ name: "b", status: "malformed", catalogueName: null });
    expect(tools[1]?.reason).toMatch(/nonsense|type/);
  });

  it("a server that is switched off keeps its settings, gives its tools back and says why they are missing", async () => {
    const { service, catalogue, applied } = start();
    await service.create(files);
    service.events.onTools("files", list("read"));
    await service.setEnabled("files", false);
    expect(applied.get("files")).toMatchObject({ enabled: false });
    expect(catalogue.get("files")).toEqual([]);
    expect(await service.explainMissing("files__read", never)).toBe("the MCP server 'files' is switched off");
    await service.setEnabled("files", true);
    expect(catalogue.get("files")).toEqual(["files__read"]);
  });

  it("RTE-02 a missing tool is explained: unknown prefix, not connected, no such tool", async () => {
    const { service, states } = start();
    await service.create(files);
    expect(await service.explainMissing("ghost__x", never)).toBe("no MCP server has the prefix 'ghost'");
    expect(await service.explainMissing("files__x", never)).toBe("the MCP server 'files' has no such tool");
    states.set("files", stateWith({ status: "failed", reason: "command not found" }));
    expect(await service.explainMissing("files__x", never)).toBe(
      "the MCP server 'files' is not connected: command not found",
    );
    expect(await service.explainMissing("files__off", never)).toBe("it is switched off");
    expect(service.explainMissing("plain", never)).toBeNull();
  });

  it("AGT-05 what people chose for a server's tools ends with it, and is not meant for the next of its name", async () => {
    const { service, forgotten } = start();
    await service.create(files);
    expect(forgotten).toEqual([["files", { keepAlways: false }]]);
    service.events.onTools("files", list());
    expect(forgotten).toHaveLength(1);
    await service.delete("files");
    expect(forgotten.slice(1)).toEqual([["files", { keepAlways: true }]]);
  });

  it("a delete ends the connection and takes the tools away; a restore brings both back", async () => {
    const { service, removed, catalogue, applied } = start();
    await service.create(files);
    service.events.onTools("files", list("read"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { id } = await service.delete("files");
    expect(removed).toEqual(["files"]);
    expect(catalogue.get("files")).toEqual([]);
    await service.restore(id);
    expect(applied.get("files")).toMatchObject({ command: "node" });
    expect(catalogue.get("files")).toEqual(["files__read"]);
    await expect(service.restore(id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("an import takes what is good and says of the rest why not", async () => {
    const { service } = start();
    await service.create(files);
    const outcome = await service.import([files, { ...files, name: "two" }, { ...files, name: "__" }]);
    expect(outcome.created).toEqual(["two"]);
    expect(outcome.rejected.map(({ name }) => name)).toEqual(["files", "__"]);
  });

  it("a rename moves tools and connection to the new name", async () => {
    const { service, removed, catalogue, applied, renames } = start();
    await service.create(files);
    service.events.onTools("files", list("read"));
    await service.update("files", { ...files, name: "disk" });
    expect(renames).toEqual([["files", "disk"]]);
    expect(removed).toEqual(["files"]);
    expect(catalogue.get("files")).toEqual([]);
    expect(catalogue.get("disk")).toEqual(["disk__read"]);
    expect(applied.get("disk")).toMatchObject({ command: "node" });
  });
});
