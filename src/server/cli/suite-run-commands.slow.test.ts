import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { type EvalRunDetail, evalInputSchema } from "../../lib/contract/eval";
import { runSettingsSchema } from "../../lib/contract/run";
import type { ToolDefinition } from "../../lib/contract/tool-definition";
import { waitUntil } from "../../lib/wait-until.test-support";
import { type Container, createContainer } from "../main/container";
import { readEnv } from "../main/env";
import { runWords, serveRest } from "./commands.test-support";

const tool = (name: string, description: string, parameter: string): ToolDefinition => ({
  name,
  description,
  type: "function",
  handler: name,
  implementation: { type: "mock", mock_response: 1 },
  parameters: { type: "object", properties: { [parameter]: { type: "string" } }, required: [parameter] },
});
const TOOLS = [
  tool("calculate", "Work out arithmetic", "expression"),
  tool("find_orders", "Find the orders of a customer", "customer"),
  tool("search_orders", "Search the orders of a customer", "customer"),
];

let container: Container;
let server: Awaited<ReturnType<typeof serveRest>>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-evals-"));
  const config = path.join(folder, "toolroom.json");
  await writeFile(config, JSON.stringify({ tools: { registry: TOOLS } }));
  container = await createContainer(
    readEnv({ DATABASE_URL: `file:${folder}/toolroom.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config }),
  );
  server = await serveRest(container);
  const { suites } = container.services;
  const add = (question: string, expected: string[]) =>
    suites.addEval(LOCAL_PRINCIPAL, evalInputSchema.parse({ suite: "sums", question, expected }));
  await add("What is 12*7?", ["calculate"]);
  await add("Thank you, that was all.", []);
});
afterAll(async () => {
  await server.close();
  await container.close();
});

const run = (...words: string[]) => runWords(words, { cwd: folder, env: { TOOLROOM_URL: server.url } });

describe("toolroom suites run", () => {
  it("runs a suite with each model, prints rates with their interval, and exits with 1 below the least rate", async () => {
    expect(await run("suites", "run", "sums")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("choose one"),
    });
    const ended = await run("suites", "run", "sums", "--model", "demo/demo", "--k", "2");
    expect(ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/demo\/demo +direct +finished +4\/4 +100% \(51\.0–100%\)/),
    });
    expect(await run("suites", "list", "--kind", "evals")).toMatchObject({
      stdout: expect.stringMatching(/sums +evals +2 +finished +100% .*with demo\/demo/),
    });
    // The demo model does not search for tools.
    const found = await run("suites", "run", "sums", "--discovery", "--k", "1", "--json");
    const { runs } = JSON.parse(found.stdout) as { runs: EvalRunDetail[] };
    expect(found.code).toBe(1);
    expect(runs).toMatchObject([{ offering: "discovery", status: "finished", total: 2 }]);
    const junit = await run("suites", "run", "sums", "--discovery", "--k", "1", "--junit", "--min-rate", "0.5");
    expect(junit.code).toBe(0);
    expect(junit.stdout).toContain('<testsuite name="demo, discovery" tests="2" failures="1" errors="0" skipped="0">');
    expect(junit.stdout).toContain('<testcase name="Thank you, that was all. (round 1)" classname="sums"');
    const file = await run("suites", "run", "sums", "--min-rate", "0", "--junit", "evals.xml");
    expect(file).toMatchObject({ code: 0, stdout: expect.stringContaining("demo/demo") });
    expect(await readFile(path.join(folder, "evals.xml"), "utf8")).toContain('<testsuite name="demo, direct"');
    expect(await run("suites", "run", "sums", "--ask")).toMatchObject({ code: 2 });
    expect(await run("test", "sums")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("toolroom suites run sums"),
    });
    expect(await run("suites", "run", "nothing", "--model", "demo/demo")).toMatchObject({ code: 3 });
    expect(await run("suites", "run", "sums", "--model", "demo")).toMatchObject({ code: 2 });
  });
});

describe("toolroom evals", () => {
  it("answers in the version after it became suites, with one line that names what takes its place", async () => {
    const list = await run("evals", "list", "--json");
    expect(list.code).toBe(0);
    expect(list.stderr).toBe(
      '"toolroom evals list" is now "toolroom suites list --kind evals": the next version drops it.\n',
    );
    expect(JSON.parse(list.stdout)).toMatchObject({ items: [{ name: "sums", kind: "evals" }] });
    const ended = await run("evals", "run", "sums", "--model", "demo/demo", "--k", "1");
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("2/2") });
    expect(ended.stderr).toContain('"toolroom evals" is now "toolroom suites"');
  });
});

describe("toolroom suites compare", () => {
  it("compares two runs eval by eval, and exits with 1 only where the second is worse by more than chance explains", async () => {
    const start = async (...words: string[]) => {
      const { stdout } = await run(
        "suites",
        "run",
        "sums",
        "--model",
        "demo/demo",
        "--min-rate",
        "0",
        "--json",
        ...words,
      );
      return (JSON.parse(stdout) as { runs: EvalRunDetail[] }).runs[0]?.id ?? "";
    };
    // The demo model does not search for tools, so the question about a sum fails.
    const good = await start("--k", "10");
    const bad = await start("--k", "10", "--discovery");
    const worse = await run("suites", "compare", good, bad);
    expect(worse.code).toBe(1);
    expect(worse.stdout).toMatch(/What is 12\*7\? +10\/10 +0\/10 +worse +calculate → nothing/);
    expect(worse.stdout).toContain("The second run is worse by more than chance explains");
    expect(await run("suites", "compare", bad, good)).toMatchObject({ code: 0 });
    const same = await run("suites", "compare", good, good, "--json");
    expect(same.code).toBe(0);
    expect(JSON.parse(same.stdout)).toMatchObject({
      verdict: "chance",
      before: { id: good },
      items: [{ change: 0 }, {}],
    });
    expect(await run("suites", "compare", good, "evr_nothing")).toMatchObject({ code: 3 });
  });
});

describe("toolroom runs compare", () => {
  it("AGT-08 lists what differs in two runs by aligned steps, and exits with 1 only where a call differs", async () => {
    const start = async (text: string) => {
      const settings = runSettingsSchema.parse({ provider: "demo", model: "demo" });
      const { id } = await container.services.runs.start(LOCAL_PRINCIPAL, { text, settings });
      await waitUntil(async () => (await container.services.runs.get(id)).status === "succeeded");
      return id;
    };
    const first = await start("calculate 1");
    const again = await start("calculate 1");
    const other = await start("calculate 2");
    expect(await run("runs", "compare", first, again)).toMatchObject({ code: 0, stdout: /^The runs are the same: 0 / });
    const differs = await run("runs", "compare", first, other);
    expect(differs.code).toBe(1);
    expect(differs.stdout).toMatch(/1 → 1 +changed arguments +calculate +\{"expression":"1"\} +\{"expression":"2"\}/);
    expect(differs.stdout).toContain("Calls differ: 2 differ, 1 equal.");
    const { stdout } = await run("runs", "compare", first, other, "--json");
    const call = { part: "call", tool: "calculate", changed: "arguments", kind: "changed" };
    expect(JSON.parse(stdout)).toMatchObject({
      before: { id: first },
      after: { id: other },
      verdict: "calls",
      same: 1,
      items: [{ part: "message", before: { step: 1, text: "calculate 1" } }, call],
    });
    expect(JSON.parse(stdout)).not.toHaveProperty("before.events");
    expect(await run("runs", "compare", first, "run_nothing00")).toMatchObject({ code: 3 });
  });
});
