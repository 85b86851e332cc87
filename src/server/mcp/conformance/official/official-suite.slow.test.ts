import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import type { ConnectionSettings } from "../../../engine/mcp-ports";
import { type ReferenceServer, startReferenceServer } from "../reference-server.test-support";
import { runConformance } from "../run-conformance";
import { writeFakeSuite } from "./fake-suite.test-support";
import { describeSuite, requireSuite, type SuitePlace } from "./suite-files";

const servers: ReferenceServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const makeFolder = (): string => mkdtempSync(path.join(tmpdir(), "toolroom-suite-test-"));

function createPlace(changes: Partial<SuitePlace> = {}): SuitePlace {
  const folder = makeFolder();
  const given = writeFakeSuite(path.join(folder, "suite"));
  return { folder: path.join(folder, "installed"), given, node: process.execPath, variables: process.env, ...changes };
}

async function runSuite(
  options: Parameters<typeof startReferenceServer>[0],
  place = createPlace(),
  signal = new AbortController().signal,
) {
  const server = await startReferenceServer(options);
  servers.push(server);
  const headers = { Authorization: `Bearer ${server.token}` };
  const common = { name: "tested", enabled: true, protocol: "auto", connectTimeoutMs: 5_000, roots: [] };
  const settings = { ...common, transport: "http", url: server.url.href, headers, auth: { type: "none" } };
  const report = await runConformance(
    { settings: settings as unknown as ConnectionSettings, parts: "suite", signal, onStep: () => undefined },
    {
      variables: process.env,
      rootDir: process.cwd(),
      home: process.cwd(),
      getFolder: makeFolder,
      addresses: undefined,
      credentials: { read: async () => null, write: async () => undefined },
      suite: place,
    },
  );
  const outcomes = Object.fromEntries(report.checks.map(({ id, outcome }) => [id, outcome]));
  const reasons = Object.fromEntries(report.checks.map(({ id, message }) => [id, message]));
  return { ...report, outcomes, reasons, server };
}

describe("the official suite", () => {
  it("runs the scenarios that fit the server, through an address that adds its credentials", async () => {
    const { outcomes, reasons, versions, checks, server } = await runSuite({ auth: true });
    expect(outcomes).toMatchObject({
      "suite/2025-11-25/ping/answers": "passed",
      "suite/2025-11-25/ping/hides-address": "passed",
      "suite/2025-11-25/ping/has-no-secrets": "passed",
      "suite/2025-11-25/ping/twice": "warning",
      "suite/2025-11-25/ping/informs": "skipped",
      "suite/2025-11-25/tools-list/answers": "passed",
      "suite/2025-11-25/tools-call-simple-text": "skipped",
      "suite/2025-11-25/dns-rebinding-protection": "skipped",
      "suite/2025-11-25/http-header-validation": "skipped",
      "suite/2025-11-25/not-in-the-table": "skipped",
    });
    expect(reasons["suite/2025-11-25/tools-call-simple-text"]).toContain("'test_simple_text'");
    expect(reasons["suite/2025-11-25/http-header-validation"]).toContain("'delete_everything'");
    expect(reasons["suite/2025-11-25/ping/twice"]).toBe("warned");
    // The server does not speak its revision.
    expect(checks.filter(({ id }) => id.includes("server-stateless"))).toEqual([]);
    expect(versions.suite).toBe("7.7.7");
    expect(JSON.stringify(checks)).not.toContain(server.token);
  });

  it("runs the scenarios with tools of its own where the server has these", async () => {
    const tools = [{ name: "test_simple_text", inputSchema: { type: "object" } }];
    const { outcomes } = await runSuite({ tools });
    expect(outcomes).toMatchObject({
      "suite/2025-11-25/tools-call-simple-text/answers": "passed",
      "suite/2025-11-25/dns-rebinding-protection/answers": "passed",
      "suite/2025-11-25/http-header-validation/answers": "passed",
    });
  });

  it("ends with the run, and leaves no process and no folder", async () => {
    const home = path.join(makeFolder(), "hang");
    mkdirSync(home);
    const stop = new AbortController();
    const place = createPlace({ variables: { ...process.env, HOME: home, TMPDIR: home } });
    const running = runSuite({}, place, stop.signal);
    const note = path.join(home, "hanging");
    await waitUntil(() => existsSync(note) && readFileSync(note, "utf8") !== "");
    const { pid, folder } = JSON.parse(readFileSync(note, "utf8")) as { pid: number; folder: string };
    expect(existsSync(folder)).toBe(true);
    stop.abort(new Error("cancelled"));
    await expect(running).rejects.toThrow("cancelled");
    expect(() => process.kill(pid, 0)).toThrow();
    expect(existsSync(folder)).toBe(false);
  });

  it("names the setting and the way out where it cannot run", () => {
    const place = createPlace({ node: null, given: null });
    expect(describeSuite(place, "20.19.0")).toMatchObject({
      state: "unsupported",
      reason: expect.stringMatching(/Node 22.*20\.19\.0.*TOOLROOM_CONFORMANCE_NODE/),
    });
    expect(describeSuite(place, "22.1.0")).toMatchObject({ state: "missing", reason: null });
    expect(describeSuite({ ...place, node: "/none/node" })).toMatchObject({
      state: "unsupported",
      reason: expect.stringContaining("/none/node"),
    });
    expect(describeSuite({ ...place, given: makeFolder() }, "22.1.0")).toMatchObject({
      state: "unsupported",
      reason: expect.stringContaining("TOOLROOM_CONFORMANCE_SUITE"),
    });
  });

  it("is installed into a folder of its own, and a failure leaves nothing there", async () => {
    const bin = makeFolder();
    const npm = path.join(bin, "npm-fake.js");
    const place = createPlace({ given: null, variables: { ...process.env, npm_execpath: npm } });
    writeFileSync(npm, 'console.error("network is down"); process.exit(1)');
    const { signal } = new AbortController();
    await expect(requireSuite(place, signal)).rejects.toThrow(/network is down.*npm ping.*TOOLROOM_CONFORMANCE_SUITE/s);
    expect(readdirSync(place.folder)).toEqual([]);
    const made = "node_modules/@modelcontextprotocol/conformance";
    writeFileSync(
      npm,
      `const fs = require("node:fs"); fs.mkdirSync("${made}/dist", { recursive: true });
       fs.writeFileSync("${made}/package.json", '{"version":"1.2.3"}'); fs.writeFileSync("${made}/dist/index.js", "");`,
    );
    expect(await requireSuite(place, signal)).toMatchObject({ version: "1.2.3" });
    expect(describeSuite(place).state).toBe("installed");
  });
});
