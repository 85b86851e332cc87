import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Principal } from "../../../lib/contract/access";
import type { ConformanceSuite } from "../../../lib/contract/conformance";
import { waitUntil } from "../../../lib/wait-until.test-support";
import type { ConnectionSettings } from "../../engine/mcp-ports";
import { performOperation } from "../../platform/api/perform-operation";
import type { ApiContext } from "../../platform/api/route";
import { createCallRegistry, createLocks } from "../../platform/coordination/coordination";
import { createScratchDatabase, quietLogger } from "../../platform/db/database.test-support";
import { conformanceOperations } from "./conformance-operations";
import type { ConformancePorts } from "./conformance-runs";
import { createConformanceService } from "./conformance-service";
import { createConformanceStore } from "./db/conformance-store";

const ADA = { id: "ada", name: "Ada" };
const CHECK = { id: "oauth/pkce", group: "oauth", title: "PKCE", outcome: "failed", message: null } as const;
const REPORT = { checks: [CHECK], versions: { suite: null, protocol: ["2025-11-25"], server: null } };

let scratch: Awaited<ReturnType<typeof createScratchDatabase>>;
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(() => scratch.remove());

function open(part: Partial<ConformancePorts> & { suite?: Partial<ConformanceSuite>; owner?: string } = {}) {
  const { suite, owner = "here", ...ports } = part;
  const published: string[] = [];
  let count = 0;
  const store = createConformanceStore(scratch.db, owner);
  const service = createConformanceService({
    store,
    toConnection: (name) => ({ name }) as ConnectionSettings,
    test: async () => REPORT,
    describeSuite: () => ({ version: "1", state: "installed", reason: null, ...suite }),
    locks: createLocks(),
    calls: createCallRegistry(),
    logger: quietLogger(),
    now: () => Date.now(),
    newId: () => `conf_${owner}_${++count}`,
    version: "9.9.9",
    publish: (server) => void published.push(server),
    ...ports,
  });
  return { service, store, published };
}

/** Waits for the abort, as a real test of a server does. */
const hang: ConformancePorts["test"] = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));

describe("runs of conformance checks", () => {
  it("are stored from their start to their end, and compared with the one before", async () => {
    const { service, published } = open();
    const started = await service.start(ADA, "files", "own");
    expect(started).toMatchObject({ status: "running", actor: ADA, checks: [] });
    const first = await service.get(started.id, 5_000);
    expect(first).toMatchObject({
      status: "finished",
      checks: [CHECK],
      versions: { toolroom: "9.9.9" },
      comparison: { before: null, newFailures: [CHECK.id] },
    });
    const second = await service.get((await service.start(ADA, "files", "own")).id, 5_000);
    expect(second.comparison).toEqual({ before: first.id, newFailures: [], fixed: [] });
    await waitUntil(() => published.length === 4);
  });

  it("keep the reason where the server cannot be tested", async () => {
    const { service } = open({ test: () => Promise.reject(new Error("no such command")) });
    const { id } = await service.start(ADA, "files", "own");
    expect(await service.get(id, 5_000)).toMatchObject({
      status: "failed",
      error: "no such command",
      comparison: null,
    });
  });

  it("run once for a server, are cancelled by any user who may, and make room for the next", async () => {
    const { service } = open({ test: hang });
    const { id } = await service.start(ADA, "files", "own");
    await expect(service.start(ADA, "files", "own")).rejects.toMatchObject({ code: "CONFLICT" });
    await service.start(ADA, "disk", "own");
    expect(await service.cancel(ADA, id)).toEqual({ cancelled: true });
    expect(await service.get(id, 5_000)).toMatchObject({ status: "cancelled", error: null });
    expect(await service.cancel(ADA, id)).toEqual({ cancelled: false });
    await expect(service.start(ADA, "files", "own")).resolves.toMatchObject({ status: "running" });
    await service.close();
  });

  it("are interrupted by the end of the server, whether it was told or not", async () => {
    const told = open({ test: hang });
    const { id } = await told.service.start(ADA, "files", "own");
    await told.service.close();
    expect(await told.service.get(id)).toMatchObject({ status: "interrupted" });
    await expect(told.service.start(ADA, "files", "own")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    // As a process leaves it that was killed.
    await told.store.create({ id: "left", server: "files", parts: "own", actor: ADA, startedAt: 1 });
    const next = open({ owner: "next" });
    await next.service.settleLost();
    expect(await next.service.get("left")).toMatchObject({ status: "interrupted" });
  });

  it("are refused with the way out where the official suite cannot run, but for Toolroom's own", async () => {
    const { service } = open({ suite: { state: "unsupported", reason: "It needs Node 22" } });
    await expect(service.start(ADA, "files", "all")).rejects.toMatchObject({
      code: "INVALID",
      message: expect.stringMatching(/^parts: It needs Node 22.*'own'/),
    });
    await expect(service.start(ADA, "files", "own")).resolves.toMatchObject({ status: "running" });
    await service.close();
  });
});

describe("the first run that installs the official suite", () => {
  const start = (state: ConformanceSuite["state"], role: Principal["role"], parts: "all" | "own") => {
    const { service } = open({ suite: { state } });
    const acting = { audit: { record: async () => undefined }, answered: (work: () => unknown) => work() };
    const actor = { ...ADA, role, token: null };
    const services = { conformance: service, acting };
    const context = { actor, services, source: "api", stopping: new AbortController().signal };
    return performOperation("conformance.start", conformanceOperations.each.start, context as unknown as ApiContext, {
      name: "files",
      parts,
    });
  };

  it.each([
    ["missing", "editor", "all", "DENIED"],
    ["missing", "editor", "own", null],
    ["missing", "admin", "all", null],
    ["installed", "editor", "all", null],
    ["installed", "operator", "own", "DENIED"],
  ] as const)("suite %s, role %s, parts %s: %s", async (state, role, parts, code) => {
    const started = start(state, role, parts);
    if (code === null) await expect(started).resolves.toBeTruthy();
    else await expect(started).rejects.toMatchObject({ code });
  });
});
