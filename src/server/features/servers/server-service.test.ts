import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { LiveEvent } from "../../../lib/contract/live-event";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { systemClock } from "../../create-tool-engine";
import { UNREADABLE } from "../../engine/mcp-ports";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { createServerStore } from "./db/server-store";
import { PLAIN_READERS, recordingConnections, stateWith, testSecretBox } from "./server.test-support";
import { createServerService } from "./server-service";
import type { ServerStore } from "./server-store";

let scratch: ScratchDatabase;
const secretBox = testSecretBox();
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(() => scratch.remove());

const never = new AbortController().signal;
const schema = { type: "object", properties: {} };
const list = (...names: string[]) => names.map((name) => ({ name, inputSchema: schema }));

function start(
  entries: Record<string, unknown> = {},
  {
    store = {},
    beforeTools = async () => {},
  }: { store?: Partial<ServerStore>; beforeTools?: () => Promise<void> } = {},
) {
  const recorded = recordingConnections();
  const catalog = new Map<string, string[]>();
  const events: LiveEvent[] = [];
  const renames: unknown[] = [];
  const forgotten: [string, { keepFacts: boolean }][] = [];
  const service = createServerService({
    ...PLAIN_READERS,
    connections: recorded.connections,
    store: { ...createServerStore({ db: scratch.db, secretBox, clock: systemClock }), ...store },
    setServerTools: async (server, definitions: readonly ToolDefinition[]) => {
      await beforeTools();
      catalog.set(
        server,
        definitions.map(({ name }) => name),
      );
      return definitions
        .filter(({ name }) => name === "files__taken")
        .map(({ name }) => ({ name, error: `the name '${name}' is already taken by a tool from console` }));
    },
    getApproval: () => null,
    schemaNotes: (name) => (name === "files__noted" ? [NOTE] : null),
    isSwitchedOff: (name) => name === "files__off",
    renameServerTools: async (rename) => void renames.push(rename),
    forgetServerTools: async (...server) => void forgotten.push(server),
    configured: { entries, path: "config/toolroom.json" },
    variables: { HOME: "/home/me" },
    maxStoredBytes: 4096,
    rootDir: "/srv/toolroom",
    clock: systemClock,
    logger: recordingLogger(),
    publish: (event) => events.push(event),
  });
  return { service, catalog, events, renames, forgotten, ...recorded };
}

const NOTE = { pointer: "/properties/s/pattern", keyword: "pattern", message: "`pattern` of `s` is not checked" };
const files = { name: "files", transport: "stdio" as const, command: "node", args: ["files.mjs"] };

describe("the servers' service", () => {
  it("a server that is added connects with its secrets, and what is shown of it holds none", async () => {
    const { service, applied } = start();
    const detail = await service.create(LOCAL_OWNER, { ...files, env: [{ name: "TOKEN", value: "hunter2-hunter2" }] });
    expect(applied.get("files")).toMatchObject({
      command: "node",
      enabled: true,
      env: { TOKEN: "hunter2-hunter2" },
    });
    expect(detail.settings).toMatchObject({ env: [{ name: "TOKEN", value: null }] });
    expect(JSON.stringify([detail, service.list()])).not.toContain("hunter2");
    await service.update(LOCAL_OWNER, "files", { ...files, args: ["more.mjs"], env: [{ name: "TOKEN", value: null }] });
    expect(applied.get("files")).toMatchObject({ args: ["more.mjs"], env: { TOKEN: "hunter2-hunter2" } });
  });

  it("secrets in arguments and addresses are shown as masks, and kept where a mask comes back", async () => {
    const { service, applied } = start();
    const args = ["files.mjs", "--api-key", "hunter2-hunter2", "postgres://ada:hunter3@db/x"];
    const detail = await service.create(LOCAL_OWNER, { ...files, args });
    expect(applied.get("files")).toMatchObject({ args });
    expect(JSON.stringify([detail, service.list(), service.get("files")])).not.toContain("hunter");
    const [, , mask, address] = (detail.settings as { args: string[] }).args;
    await service.update(LOCAL_OWNER, "files", { ...files, args: ["more.mjs", address, "--key", mask] });
    expect(applied.get("files")).toMatchObject({ args: ["more.mjs", args[3], "--key", args[2]] });
    expect(service.checkSettings({ ...files, name: "other", args: [mask] }, undefined).problems[0]?.path).toBe(
      "args[0]",
    );
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
    await expect(service.create(LOCAL_OWNER, bad)).rejects.toThrow(/name must be 1–64/);
    const { problems } = service.checkSettings({ ...bad, name: "ok" }, undefined);
    expect(problems.map(({ path }) => path)).toEqual(["url", "headers[0].name"]);
    expect(service.checkSettings({ ...files, name: "new" }, undefined).problems[0]?.path).toBe("name");
    expect(service.list().items).toEqual([]);
    expect(applied.size).toBe(0);
  });

  it("variables that are not set are noted while the settings are written, and are no problem", () => {
    const { service } = start();
    const args = ["\u0024{HOME}", "\u0024{NOTES_DIR}", "\u0024{PORT:-80}"];
    expect(service.checkSettings({ ...files, args }, undefined)).toEqual({
      problems: [],
      notes: [
        "NOTES_DIR is not set in Toolroom's environment: the server cannot connect until you set it or give it a default",
      ],
    });
  });

  it("REG-01 REG-03 servers load from configuration and database; a name that both have stays with the first", async () => {
    await start().service.create(LOCAL_OWNER, files);
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
      ["files", "config"],
    ]);
    expect(applied.get("files")).toMatchObject({ command: "from-config" });
    await expect(service.update(LOCAL_OWNER, "files", files)).rejects.toMatchObject({ code: "READ_ONLY" });
  });

  it("a server that the configuration switches off stays off until it is changed there", async () => {
    const { service, applied } = start({ quiet: { command: "node", disabled: true } });
    await service.load();
    expect(applied.get("quiet")).toMatchObject({ enabled: false });
    await expect(service.setEnabled(LOCAL_OWNER, "quiet", true)).rejects.toMatchObject({ code: "READ_ONLY" });
  });

  it("tools are known before the server answers again, and a change between two lists is kept", async () => {
    const first = start();
    await first.service.create(LOCAL_OWNER, files);
    await first.service.events.onTools("files", list("read", "write"));
    await first.service.events.onTools("files", list("read", "search"));
    const detail = first.service.get("files");
    expect(
      first.service
        .changes("files", 0)
        .items[0]?.changes.map(({ kind, tool }) => [kind, tool])
        .sort(),
    ).toEqual([
      ["added", "search"],
      ["removed", "write"],
    ]);
    expect(detail.lastChange).toMatchObject({ breaking: 1, other: 1 });
    await first.service.setEnabled(LOCAL_OWNER, "files", true);
    const second = start();
    await second.service.load();
    expect(second.catalog.get("files")).toEqual(["files__read", "files__search"]);
    expect(second.service.changes("files", 0).items).toHaveLength(1);
  });

  it("stored header values are asked for again when they would go to another origin", async () => {
    const { service } = start();
    const remote = { name: "remote", transport: "http" as const, url: "https://one.example/mcp" };
    await service.create(LOCAL_OWNER, { ...remote, headers: [{ name: "Authorization", value: "Bearer hunter2" }] });
    const kept = [{ name: "Authorization", value: null }];
    const moved = service.update(LOCAL_OWNER, "remote", { ...remote, url: "https://two.example/mcp", headers: kept });
    await expect(moved).rejects.toThrow(/headers\[0\]\.value/);
    const path = await service.update(LOCAL_OWNER, "remote", {
      ...remote,
      url: "https://one.example/v2/mcp",
      headers: kept,
    });
    expect(path.target).toBe("https://one.example/v2/mcp");
  });

  it("a server gets nothing of what an earlier one of its name listed", async () => {
    const first = start();
    await first.service.create(LOCAL_OWNER, files);
    await first.service.events.onTools("files", list("read"));
    await first.service.delete(LOCAL_OWNER, "files");
    await first.service.create(LOCAL_OWNER, { ...files, command: "other" });
    const second = start();
    await second.service.load();
    expect(second.service.tools("files", "", 0).items).toEqual([]);
  });

  it("an entry that is too deep or too large to be walked is shown as malformed, and the others work", async () => {
    const { service, catalog } = start();
    await service.create(LOCAL_OWNER, files);
    const deep: Record<string, unknown> = {};
    let at = deep;
    for (let level = 0; level < 5000; level += 1) {
      const next: Record<string, unknown> = {};
      at.properties = next;
      at = next;
    }
    const large = { name: "large", inputSchema: schema, description: "x".repeat(2_000_000) };
    await service.events.onTools("files", [{ name: "deep", inputSchema: deep }, large, ...list("fine")]);
    expect(service.tools("files", "", 0).items.map(({ name, reason }) => [name, reason])).toEqual([
      ["deep", "The entry is nested deeper than 200 levels"],
      ["large", "The entry is larger than 1048576 bytes"],
      ["fine", null],
    ]);
    expect(catalog.get("files")).toEqual(["files__fine"]);
  });

  it("an entry's JSON is read by its place in the list, and refused once the list has another tool there", async () => {
    const { service } = start();
    await service.create(LOCAL_OWNER, files);
    await service.events.onTools("files", list("read", "write"));
    const [, write] = service.tools("files", "", 0).items;
    expect(JSON.parse(service.toolJson("files", write?.position ?? -1, "write").text)).toMatchObject({ name: "write" });
    await service.events.onTools("files", list("read"));
    expect(() => service.toolJson("files", 1, "write")).toThrow("have changed: reload the list");
    expect(() => service.toolJson("files", 0, "write")).toThrow("have changed: reload the list");
  });

  it("REG-02 a tool that the catalog refuses is shown as malformed with the reason", async () => {
    const { service } = start();
    await service.create(LOCAL_OWNER, files);
    await service.events.onTools("files", list("a", "taken"));
    const { toolCount, problemCount } = service.get("files");
    const [taken] = service.tools("files", "", 0).items;
    expect({ toolCount, problemCount }).toEqual({ toolCount: 1, problemCount: 1 });
    expect(taken).toMatchObject({ name: "taken", status: "malformed", catalogName: null });
    expect(taken?.reason).toMatch(/already taken by a tool from console/);
  });

  it("what is not checked of a tool's schema is shown in the server's list", async () => {
    const { service } = start();
    await service.create(LOCAL_OWNER, files);
    await service.events.onTools("files", [...list("noted", "plain"), { name: "bare" }]);
    const { items } = service.tools("files", "", 0);
    expect(items.map(({ name, notes }) => [name, notes.map(({ message }) => message)])).toEqual([
      ["noted", [NOTE.message]],
      ["plain", []],
      ["bare", ["`inputSchema` is missing: any arguments are accepted"]],
    ]);
  });

  it("tools beyond the size that a server's list may have are shown as such, and the others work", async () => {
    const { service, catalog } = start();
    await service.create(LOCAL_OWNER, files);
    const large = (name: string) => ({ name, inputSchema: schema, description: "x".repeat(1_000_000) });
    await service.events.onTools(
      "files",
      Array.from({ length: 20 }, (_, index) => large(`tool_${index}`)),
    );
    const { items } = service.tools("files", "", 0);
    expect([service.get("files").toolCount, catalog.get("files")?.length]).toEqual([16, 16]);
    expect(items[0]?.reason).toContain("larger than 16777216 bytes together, and this one is beyond that");
    const texts = items.map(({ position, name }) => service.toolJson("files", position, name).text);
    expect(texts.join("").length).toBeLessThan(4_194_304);
  });

  it("a server that is switched off keeps its settings, gives its tools back and says why they are missing", async () => {
    const { service, catalog, applied } = start();
    await service.create(LOCAL_OWNER, files);
    await service.events.onTools("files", list("read"));
    await service.setEnabled(LOCAL_OWNER, "files", false);
    expect(applied.get("files")).toMatchObject({ enabled: false });
    expect(catalog.get("files")).toEqual([]);
    expect(await service.explainMissing("files__read", never)).toBe("the server 'files' is switched off");
    await service.setEnabled(LOCAL_OWNER, "files", true);
    expect(catalog.get("files")).toEqual(["files__read"]);
  });

  it("RTE-02 a missing tool is explained: unknown prefix, not connected, no such tool", async () => {
    const { service, states } = start();
    await service.create(LOCAL_OWNER, files);
    expect(await service.explainMissing("ghost__x", never)).toBe("no server has the prefix 'ghost'");
    expect(await service.explainMissing("files__x", never)).toBe("the server 'files' has no such tool");
    states.set("files", stateWith({ status: "failed", reason: "command not found" }));
    expect(await service.explainMissing("files__x", never)).toBe(
      "the server 'files' is not connected: command not found",
    );
    expect(await service.explainMissing("files__off", never)).toBe("it is switched off");
    expect(service.explainMissing("plain", never)).toBeNull();
  });

  it("RTE-02 a tool that is listed but cannot be called is explained with what is wrong with it", async () => {
    const { service } = start();
    await service.create(LOCAL_OWNER, files);
    const broken = { name: "slow", inputSchema: schema, [UNREADABLE]: "The entry is too large" };
    const taking = service.events.onTools("files", [...list("taken"), broken]);
    // Asked before the list is in the catalog: it is waited for.
    expect(await service.explainMissing("files__slow", never)).toEqual({
      unusable: expect.stringMatching(/^The entry is too large.*\(as the server 'files' lists it\)$/),
    });
    expect(await service.explainMissing("files__taken", never)).toEqual({
      unusable: expect.stringContaining("the name 'files__taken' is already taken by a tool from console"),
    });
    expect(await service.explainMissing("files__other", never)).toBe("the server 'files' has no such tool");
    await taking;
  });

  it("AGT-05 what users chose for a server's tools ends with it, and is not meant for the next of its name", async () => {
    const { service, forgotten } = start();
    await service.create(LOCAL_OWNER, files);
    expect(forgotten).toEqual([["files", { keepFacts: false }]]);
    await service.events.onTools("files", list());
    expect(forgotten).toHaveLength(1);
    await service.delete(LOCAL_OWNER, "files");
    expect(forgotten.slice(1)).toEqual([["files", { keepFacts: true }]]);
  });

  it("a delete ends the connection and takes the tools away; a restore brings both back", async () => {
    const { service, removed, catalog, applied } = start();
    await service.create(LOCAL_OWNER, files);
    await service.events.onTools("files", list("read"));
    const { id } = await service.delete(LOCAL_OWNER, "files");
    expect(removed).toEqual(["files"]);
    expect(catalog.get("files")).toEqual([]);
    await service.restore(LOCAL_OWNER, id);
    expect(applied.get("files")).toMatchObject({ command: "node" });
    expect(catalog.get("files")).toEqual(["files__read"]);
    await expect(service.restore(LOCAL_OWNER, id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  it("an import takes what is good and says of the rest why not", async () => {
    const { service } = start();
    await service.create(LOCAL_OWNER, files);
    const outcome = await service.import(
      LOCAL_OWNER,
      [files, { ...files, name: "two" }, { ...files, name: "__" }].map((settings) => ({ settings, enabled: true })),
    );
    expect(outcome.created).toEqual(["two"]);
    expect(outcome.rejected.map(({ name }) => name)).toEqual(["files", "__"]);
  });

  it("a server that is imported switched off does not start, not even after a restart, until it is switched on", async () => {
    const { service, applied } = start();
    const found = await service.parseImport(
      '{"mcpServers": {"files": {"command": "node", "disabled": true, "env": {"KEY": "$NOT_SET"}}}}',
    );
    const [entry] = found.servers;
    expect(entry).toMatchObject({ enabled: false, problems: [] });
    expect(entry?.warnings?.at(-1)).toBe(
      "NOT_SET is not set in Toolroom's environment: the server cannot connect until you set it or give it a default",
    );
    await service.import(LOCAL_OWNER, [{ settings: entry?.settings, enabled: entry?.enabled ?? true }]);
    expect(applied.get("files")).toMatchObject({ enabled: false });
    expect(service.list().items).toMatchObject([{ name: "files", enabled: false }]);
    const later = start();
    await later.service.load();
    expect(later.applied.get("files")).toMatchObject({ enabled: false });
    await later.service.setEnabled(LOCAL_OWNER, "files", true);
    expect(later.applied.get("files")).toMatchObject({ enabled: true });
  });

  it("a list that is being taken in during a rename is stored under the new name", async () => {
    let proceed = (): void => {};
    let reach = (): void => {};
    const held = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    let hold = false;
    const beforeTools = async (): Promise<void> => {
      if (!hold) return;
      hold = false;
      reach();
      await held;
    };
    const { service } = start({}, { beforeTools });
    await service.create(LOCAL_OWNER, files);
    hold = true;
    const taken = service.events.onTools("files", list("read"));
    await reached;
    const renamed = service.update(LOCAL_OWNER, "files", { ...files, name: "disk" });
    // The writes of a rename before it waits for the list.
    for (let writes = 0; writes < 5; writes += 1) await scratch.db.write(() => scratch.db.prisma.mcpServer.count());
    proceed();
    await Promise.all([taken, renamed]);
    const store = createServerStore({ db: scratch.db, secretBox, clock: systemClock });
    expect((await store.knowledge()).map(({ name }) => name)).toEqual(["disk"]);
    expect(await store.listedTools("disk")).toEqual(list("read"));
  });

  it("a server that cannot be added is not stored either, so that the next attempt can add it", async () => {
    const broken = { forget: () => Promise.reject(new Error("disk full")) };
    await expect(start({}, { store: broken }).service.create(LOCAL_OWNER, files)).rejects.toThrow("disk full");
    expect(await start().service.create(LOCAL_OWNER, files)).toMatchObject({ name: "files" });
  });

  it("a rename moves tools and connection to the new name", async () => {
    const { service, removed, catalog, applied, renames } = start();
    await service.create(LOCAL_OWNER, files);
    await service.events.onTools("files", list("read"));
    await service.update(LOCAL_OWNER, "files", { ...files, name: "disk" });
    expect(renames).toEqual([{ from: "files", to: "disk", listed: ["read"] }]);
    expect(removed).toEqual(["files"]);
    expect(catalog.get("files")).toEqual([]);
    expect(catalog.get("disk")).toEqual(["disk__read"]);
    expect(applied.get("disk")).toMatchObject({ command: "node" });
  });
});
