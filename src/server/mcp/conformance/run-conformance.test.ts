import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { ServerAuth } from "../../../lib/contract/server";
import type { ConnectionSettings } from "../../engine/mcp-ports";
import { createAddressPolicy } from "../../platform/outgoing/address-policy";
import { type Fault, type ReferenceServer, startReferenceServer } from "./reference-server.test-support";
import { type ConformancePorts, OWN_CHECKS, runConformance } from "./run-conformance";

const servers: ReferenceServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function start(options: Parameters<typeof startReferenceServer>[0]): Promise<ReferenceServer> {
  const server = await startReferenceServer(options);
  servers.push(server);
  return server;
}

const folder = mkdtempSync(path.join(tmpdir(), "toolroom-conformance-test-"));

function createPorts(): ConformancePorts {
  const stored = new Map<string, string>();
  return {
    variables: process.env,
    rootDir: process.cwd(),
    home: process.cwd(),
    getFolder: () => folder,
    addresses: undefined,
    credentials: {
      read: async (name) => stored.get(name) ?? null,
      write: async (name, text) => void (text === null ? stored.delete(name) : stored.set(name, text)),
    },
    suite: { folder: path.join(folder, "suite"), given: null, node: null, variables: process.env },
  };
}

const COMMON = { name: "tested", enabled: true, protocol: "auto" as const, connectTimeoutMs: 5_000, roots: [] };

function toSettings({ url }: Pick<ReferenceServer, "url">, auth: ServerAuth = { type: "none" }, headers = {}) {
  return { ...COMMON, transport: "http", url: url.href, headers, auth } as ConnectionSettings;
}

function toClient({ client }: ReferenceServer): ServerAuth {
  return { type: "client_credentials", clientId: client.id, clientSecret: client.secret } as ServerAuth;
}

const test = (settings: ConnectionSettings, ports = createPorts(), signal = new AbortController().signal) =>
  runConformance({ settings, parts: "own", signal, onStep: () => undefined }, ports);

const listBad = ({ checks }: Awaited<ReturnType<typeof test>>) =>
  checks.filter(({ outcome }) => outcome === "failed" || outcome === "warning").map(({ id }) => id);

/** Each fault with the one check that names it. */
const PLAIN_FAULTS: Partial<Record<Fault, string>> = {
  "html answers": "transport/media-type",
  "notifications get a result": "transport/notification",
  "any origin": "transport/origin",
  "any version": "transport/protocol-version",
  "get answers json": "transport/get-stream",
  "one session id for all": "transport/session-id",
  "short session id": "transport/session-id",
  "no session needed": "transport/session-missing",
  "unknown session answers 400": "transport/session-unknown",
  "unknown session is served": "transport/session-unknown",
  "numbers as ids": "json-rpc/response-id",
  "agrees to any revision": "json-rpc/version-negotiation",
  "unknown method gets a result": "json-rpc/unknown-method",
  "missing parameter gets a result": "json-rpc/invalid-params",
  "parse error answers 500": "json-rpc/parse-error",
};
const SIGNED_FAULTS: Partial<Record<Fault, string>> = {
  "refuses with 403": "oauth/unauthorized",
  "no challenge": "oauth/challenge",
  "no resource metadata named": "oauth/challenge",
  "no authorization servers": "oauth/resource-metadata",
  "another resource": "oauth/resource",
  "no server metadata": "oauth/server-metadata",
  "incomplete server metadata": "oauth/server-metadata",
  "another issuer": "oauth/issuer",
  "no PKCE": "oauth/pkce",
  "no registration": "oauth/registration",
  "endpoints without TLS": "oauth/secure-endpoints",
  "any token": "oauth/invalid-token",
  "any audience": "oauth/audience",
};

describe("checks of a server from outside", () => {
  it("pass all on a server without faults, which is met without a call of its tools", async () => {
    const server = await start({});
    const report = await test(toSettings(server));
    expect(listBad(report)).toEqual([]);
    expect(report.versions).toEqual({ suite: null, protocol: ["2025-11-25"], server: "reference 1.0.0" });
    expect(report.checks.map(({ id }) => id)).toEqual(OWN_CHECKS.map(({ id }) => id));
    expect(server.requests.map(({ tool }) => tool).filter(Boolean)).toEqual([]);
  });

  it.each(Object.entries(PLAIN_FAULTS))("find '%s' with the check %s alone", async (fault, check) => {
    const server = await start({ faults: [fault as Fault] });
    expect(listBad(await test(toSettings(server)))).toEqual([check]);
  });

  it("pass all on a server that demands a token, with client credentials of its own", async () => {
    const server = await start({ auth: true });
    const report = await test(toSettings(server, toClient(server)));
    expect(listBad(report)).toEqual([]);
    const skipped = report.checks.filter(({ outcome }) => outcome === "skipped").map(({ id }) => id);
    expect(skipped).toEqual([]);
  });

  it.each(Object.entries(SIGNED_FAULTS))("find '%s' of a sign-in with the check %s alone", async (fault, check) => {
    const server = await start({ auth: true, faults: [fault as Fault] });
    const needsHeader = check !== "oauth/audience";
    const settings = needsHeader
      ? toSettings(server, { type: "none" }, { Authorization: `Bearer ${server.token}` })
      : toSettings(server, toClient(server));
    expect(listBad(await test(settings))).toEqual([check]);
  });

  it("have each a fault that it finds", () => {
    const found = new Set([...Object.values(PLAIN_FAULTS), ...Object.values(SIGNED_FAULTS)]);
    expect(OWN_CHECKS.map(({ id }) => id).filter((id) => !found.has(id))).toEqual([]);
  });

  it("check the sign-in of a server that no token is known for, and skip the rest with the reason", async () => {
    const server = await start({ auth: true, faults: ["no PKCE"] });
    const { checks } = await test(toSettings(server));
    expect(listBad({ checks } as never)).toEqual(["oauth/pkce"]);
    const ping = checks.find(({ id }) => id === "json-rpc/unknown-method");
    expect(ping).toMatchObject({ outcome: "skipped", message: expect.stringContaining("wants a token") });
  });

  it("send credentials to the server alone, and show none of them", async () => {
    const server = await start({ auth: true });
    const report = await test(toSettings(server, { type: "none" }, { Authorization: `Bearer ${server.token}` }));
    const elsewhere = server.requests.filter(({ path: each }) => each !== "/mcp");
    expect(elsewhere.length).toBeGreaterThan(0);
    expect(elsewhere.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    expect(JSON.stringify(report)).not.toContain(server.token);
  });

  it("reach a program over its standard streams, and end its processes", async () => {
    const script = path.join(process.cwd(), "e2e/support/conformance/fixture-server.mjs");
    const settings = { ...COMMON, transport: "stdio", command: process.execPath, args: [script], env: {}, cwd: null };
    const { checks, versions } = await test(settings as ConnectionSettings);
    expect(listBad({ checks, versions })).toEqual([]);
    expect(versions.server).toBe("conformance-fixture 1.0.0");
    const run = checks.filter(({ outcome }) => outcome === "passed").map(({ group }) => group);
    expect(new Set(run)).toEqual(new Set(["json-rpc"]));
  });

  it("name what a program printed that does not start", async () => {
    const args = ["-e", "console.error('the key is missing'); process.exit(1)"];
    const settings = { ...COMMON, transport: "stdio", command: process.execPath, args, env: {}, cwd: null };
    const { checks } = await test(settings as ConnectionSettings);
    expect(checks.find(({ id }) => id === "json-rpc/unknown-method")?.message).toContain("the key is missing");
  });

  it("skip what the address policy forbids, and connect nowhere", async () => {
    const server = await start({});
    const addresses = createAddressPolicy({ privateAddresses: "deny", local: false });
    const { checks } = await test(toSettings(server), { ...createPorts(), addresses });
    expect(checks.every(({ outcome }) => outcome === "skipped")).toBe(true);
    expect(server.requests).toEqual([]);
  });

  it("end at once when the run is cancelled", async () => {
    const server = await start({});
    const stop = new AbortController();
    const running = runConformance(
      {
        settings: toSettings(server),
        parts: "own",
        signal: stop.signal,
        onStep: () => stop.abort(new Error("stopped")),
      },
      createPorts(),
    );
    await expect(running).rejects.toThrow("stopped");
  });
});
