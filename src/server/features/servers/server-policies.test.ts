import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import type { ToolApproval } from "../../../lib/contract/approval";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { systemClock } from "../../create-tool-engine";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { createServerStore } from "./db/server-store";
import { createKnownServers } from "./known-servers";
import { PLAIN_READERS, recordingConnections, testSecretBox } from "./server.test-support";
import { createServerService } from "./server-service";

let scratch: ScratchDatabase;
const secretBox = testSecretBox();
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(() => scratch.remove());

const schema = { type: "object", properties: {} };
const list = (...names: string[]) => names.map((name) => ({ name, inputSchema: schema }));
const files = { name: "files", transport: "stdio" as const, command: "node", args: ["files.mjs"] };
const REQUIRED: ToolApproval = { required: true, because: "server", mode: null };

function start(entries: Record<string, unknown> = {}, box = secretBox) {
  const recorded = recordingConnections();
  const catalog = new Map<string, string[]>();
  const known = createKnownServers();
  let policyChanges = 0;
  known.policyChanged.on(() => {
    policyChanges += 1;
  });
  const service = createServerService({
    ...PLAIN_READERS,
    known,
    connections: recorded.connections,
    store: createServerStore({ db: scratch.db, secretBox: box, clock: systemClock }),
    schemaNotes: () => null,
    setServerTools: async (server, definitions: readonly ToolDefinition[]) => {
      catalog.set(
        server,
        definitions.map(({ name }) => name),
      );
      return [];
    },
    getApproval: () => REQUIRED,
    isSwitchedOff: () => false,
    renameServerTools: async () => {},
    forgetServerTools: async () => {},
    configured: { entries, path: "config/toolroom.json" },
    variables: {},
    maxStoredBytes: 4096,
    rootDir: "/srv/toolroom",
    clock: systemClock,
    logger: recordingLogger(),
    publish: () => {},
  });
  return { service, known, catalog, policyChanges: () => policyChanges, ...recorded };
}

describe("the approval policy of a server", () => {
  it("AGT-05 is set, kept over a restart and removed, without touching secrets or the connection", async () => {
    const { service, known, applied, policyChanges } = start();
    await service.create(LOCAL_OWNER, { ...files, env: [{ name: "TOKEN", value: "s3cret" }] });
    expect(known.approvalPolicy("files")).toBeNull();
    applied.clear();
    expect((await service.setApproval(LOCAL_OWNER, "files", "always")).settings.approval).toBe("always");
    expect(known.approvalPolicy("files")).toBe("always");
    expect(applied.size).toBe(0);
    await service.setApproval(LOCAL_OWNER, "files", "always");
    expect(policyChanges()).toBe(1);

    const later = start();
    await later.service.load();
    expect(later.known.approvalPolicy("files")).toBe("always");
    expect(later.applied.get("files")).toMatchObject({ env: { TOKEN: "s3cret" } });
    await later.service.setApproval(LOCAL_OWNER, "files", null);
    expect(later.service.get("files").settings).not.toHaveProperty("approval");
    expect(later.known.approvalPolicy("files")).toBeNull();
  });

  it("AGT-05 can be set while the stored secrets cannot be read, and leaves them as they are", async () => {
    const { service } = start();
    await service.create(LOCAL_OWNER, { ...files, env: [{ name: "TOKEN", value: "s3cret" }] });
    const locked = start({}, testSecretBox());
    await locked.service.load();
    await locked.service.setApproval(LOCAL_OWNER, "files", "never");
    const later = start();
    await later.service.load();
    expect(later.known.approvalPolicy("files")).toBe("never");
    expect(later.applied.get("files")).toMatchObject({ env: { TOKEN: "s3cret" } });
  });

  it("AGT-05 changes with the settings form too, and an unknown policy is refused by its field", async () => {
    const { service, known, policyChanges } = start();
    await service.create(LOCAL_OWNER, files);
    await service.update(LOCAL_OWNER, "files", { ...files, approval: "never" });
    expect([known.approvalPolicy("files"), policyChanges()]).toEqual(["never", 1]);
    await expect(service.update(LOCAL_OWNER, "files", { ...files, approval: "sometimes" })).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringContaining("approval"),
    });
  });

  it("AGT-05 comes from the key `approval` for a server of the configuration, which the console does not change", async () => {
    const { service, known } = start({
      files: { command: "node", approval: "always" },
      odd: { command: "node", approval: 1 },
    });
    await service.load();
    expect(known.approvalPolicy("files")).toBe("always");
    await expect(service.setApproval(LOCAL_OWNER, "files", "never")).rejects.toMatchObject({ code: "READ_ONLY" });
    expect(service.list().problems).toEqual([
      expect.objectContaining({ name: "odd", error: expect.stringMatching(/^approval/) }),
    ]);
  });

  it("AGT-05 is shown with each of the server's tools", async () => {
    const { service } = start();
    await service.create(LOCAL_OWNER, { ...files, toolFilter: { mode: "except", names: ["erase"] } });
    await service.events.onTools("files", list("read", "erase"));
    expect(service.tools("files", "", 0).items.map(({ name, approval }) => [name, approval])).toEqual([
      ["erase", null],
      ["read", REQUIRED],
    ]);
  });
});

describe("the tools that a server's settings offer", () => {
  it("are the only ones in the catalog; the others are shown with the reason, and are no problem of the server", async () => {
    const { service, catalog } = start();
    await service.create(LOCAL_OWNER, { ...files, toolFilter: { mode: "only", names: ["read", "not_there"] } });
    await service.events.onTools("files", list("read", "erase"));
    expect(catalog.get("files")).toEqual(["files__read"]);
    const detail = service.get("files");
    const { items } = service.tools("files", "", 0);
    expect(items.map(({ name, status, catalogName }) => [name, status, catalogName])).toEqual([
      ["erase", "excluded", null],
      ["read", "usable", "files__read"],
    ]);
    expect(items[0]?.reason).toContain("server's settings");
    expect([detail.toolCount, detail.problemCount]).toEqual([1, 0]);
    expect(await service.explainMissing("files__erase", new AbortController().signal)).toBe(
      "the settings of the server 'files' exclude it",
    );
  });

  it("follow a change of the settings without a new list", async () => {
    const { service, catalog } = start();
    await service.create(LOCAL_OWNER, { ...files, toolFilter: { mode: "except", names: ["erase"] } });
    await service.events.onTools("files", list("read", "erase"));
    expect(catalog.get("files")).toEqual(["files__read"]);
    await service.update(LOCAL_OWNER, "files", files);
    expect(catalog.get("files")).toEqual(["files__read", "files__erase"]);
    await service.update(LOCAL_OWNER, "files", { ...files, toolFilter: { mode: "only", names: [] } });
    expect(catalog.get("files")).toEqual([]);
  });
});
