import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import type { ConformanceRunDetail } from "../../../lib/contract/conformance";
import type { ServerSettingsInput } from "../../../lib/contract/server";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { type Container, createContainer } from "../../main/container";
import { readEnv } from "../../main/env";
import { writeFakeSuite } from "../../mcp/conformance/official/fake-suite.test-support";
import {
  type Fault,
  type ReferenceServer,
  startReferenceServer,
} from "../../mcp/conformance/reference-server.test-support";
import { runWords, serveRest } from "../commands.test-support";

let folder: string;
let container: Container;
let rest: Awaited<ReturnType<typeof serveRest>>;
const servers: ReferenceServer[] = [];
let suite: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-conformance-command-"));
  suite = writeFakeSuite(path.join(folder, "suite"));
  container = await createContainer(
    readEnv({
      DATABASE_URL: `file:${folder}/toolroom.db`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFORMANCE_SUITE: suite,
      TOOLROOM_CONFORMANCE_NODE: process.execPath,
    }),
  );
  rest = await serveRest(container);
});
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(async () => {
  await rest.close();
  await container.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(faults: Fault[] = [], auth = false): Promise<ReferenceServer> {
  const server = await startReferenceServer({ faults, auth });
  servers.push(server);
  return server;
}

async function register(name: string, { url, token }: ReferenceServer): Promise<void> {
  const headers = [{ name: "Authorization", value: `Bearer ${token}` }];
  const settings = { name, transport: "http", url: url.href, headers } as unknown as ServerSettingsInput;
  const { services } = container;
  if (services.servers.has(name)) await services.servers.update(LOCAL_PRINCIPAL, name, settings);
  else await services.servers.create(LOCAL_PRINCIPAL, settings);
}

const check = (target: string, ...words: string[]) =>
  runWords(["check", "--conformance", target, "--toolroom", rest.url, ...words], {
    cwd: folder,
    rootDir: folder,
    env: { PATH: process.env.PATH, TOOLROOM_CONFORMANCE_NODE: process.execPath },
  });

describe("toolroom check --conformance", () => {
  it("tests a server of a Toolroom, and fails for failures that are new since the last run", async () => {
    await register("files", await start());
    const clean = await check("files", "--only", "own");
    expect(clean).toMatchObject({ code: 0, stderr: "" });
    expect(clean.stdout).toContain("0 failed, 0 warnings");

    await register("files", await start(["any version"]));
    const broken = await check("files", "--only", "own");
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/failed {3}An unknown MCP-Protocol-Version.*transport\/protocol-version {2}new/);
    expect(broken.stdout).toContain("since the last run 1 new failure, 0 fixed");

    const known = await check("files", "--only", "own");
    expect(known.code).toBe(0);
    expect((await check("files", "--only", "own", "--fail-on", "any")).code).toBe(1);

    await register("files", await start());
    expect((await check("files", "--only", "own", "--fail-on", "any")).stdout).toContain("0 new failures, 1 fixed");
    const runs = await container.services.conformance.list("files");
    expect(runs.map(({ status, newFailures }) => [status, newFailures])).toEqual([
      ["finished", 0],
      ["finished", 0],
      ["finished", 0],
      ["finished", 1],
      ["finished", 0],
    ]);
  });

  it("runs the official suite, and writes JUnit, SARIF, Markdown and annotations", async () => {
    const server = await start(["any origin", "unknown session answers 400"], true);
    await register("reports", server);
    const reports = ["junit=c.xml", "sarif=c.sarif", "markdown=c.md", "github=c.txt"];
    const { code, stdout } = await check("reports", "--json", ...reports.flatMap((each) => ["--report", each]));
    expect(code).toBe(1);
    const run = JSON.parse(stdout) as ConformanceRunDetail & { failed: boolean };
    expect(run).toMatchObject({
      failed: true,
      status: "finished",
      versions: { suite: "7.7.7", toolroom: expect.any(String) },
    });
    expect(run.comparison).toMatchObject({
      before: null,
      newFailures: ["transport/origin", "transport/session-unknown"],
    });
    const read = (name: string) => readFile(path.join(folder, name), "utf8");
    const junit = await read("c.xml");
    expect(junit).toMatch(/<testsuite name="reports transport" tests="8" failures="2" errors="0" skipped="0"/);
    expect(junit).toMatch(/<testcase name="suite\/2025-11-25\/ping\/answers: Says answers" classname="reports.suite"/);
    const sarif = JSON.parse(await read("c.sarif"));
    expect(sarif.runs[0].results.map(({ ruleId, level }: Record<string, string>) => [ruleId, level])).toEqual([
      ["transport/origin", "error"],
      ["transport/session-unknown", "error"],
      ["suite/2025-11-25/ping/twice", "warning"],
    ]);
    expect(await read("c.md")).toMatch(/\| `transport\/origin` \| ❌ failed \|/);
    expect(await read("c.txt")).toContain("::error title=transport/origin::");
    for (const text of [stdout, junit, await read("c.md")]) expect(text).not.toContain(server.token);
  });

  it("tests an address without a Toolroom, and masks its header", async () => {
    const server = await start(["no PKCE"], true);
    const header = `Authorization: Bearer ${server.token}`;
    const words = ["check", "--conformance", server.url.href, "--suite", suite, "--header", header];
    const surroundings = { cwd: folder, rootDir: folder, env: { TOOLROOM_CONFORMANCE_NODE: process.execPath } };
    const { code, stdout, stderr } = await runWords(words, surroundings);
    expect(stderr).toBe("");
    expect(code).toBe(1);
    expect(stdout).toContain("oauth/pkce");
    expect(stdout).toContain("Official suite 7.7.7.");
    expect(stdout).not.toContain(server.token);
    expect((await runWords([...words, "--fail-on", "never"], surroundings)).code).toBe(0);
  });

  it.each([
    ["a baseline beside it", ["files", "--baseline", "b.json"], /stands alone/],
    ["a severity", ["files", "--fail-on", "warning"], /--fail-on must be new, any or never/],
    ["an unknown part", ["files", "--only", "some"], /--only must be one of all, own, suite/],
    ["a suite for a Toolroom", ["files", "--suite", "."], /--suite and --header are for an address/],
  ])("refuses %s with the way out", async (_, [target = "", ...words], message) => {
    const { code, stderr } = await check(target, ...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it("names a server that there is not, and one that cannot be tested", async () => {
    expect(await check("nothing")).toMatchObject({ code: 3, stderr: expect.stringContaining("'nothing' not found") });
    const old = { name: "old", transport: "sse", url: "http://127.0.0.1:9/sse", headers: [] };
    await container.services.servers.create(LOCAL_PRINCIPAL, old as unknown as ServerSettingsInput);
    const { code, stderr } = await check("old");
    expect(code).toBe(2);
    expect(stderr).toContain("uses the transport of 2024-11-05");
  });

  it("cancels the run at Ctrl+C, and lets the next one start", async () => {
    const { services } = container;
    await register("slow", await start());
    const stop = new AbortController();
    const running = runWords(["check", "--conformance", "slow", "--toolroom", rest.url], {
      cwd: folder,
      signal: stop.signal,
      env: {},
    });
    await waitUntil(async () => (await services.conformance.list("slow"))[0]?.status === "running");
    expect(await check("slow")).toMatchObject({ stderr: expect.stringContaining("are running") });
    stop.abort();
    expect((await running).code).toBe(130);
    await waitUntil(async () => (await services.conformance.list("slow"))[0]?.status === "cancelled");
    expect((await check("slow", "--only", "own")).code).toBe(0);
  });
});
