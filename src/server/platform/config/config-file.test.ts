import { execSync } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { POWERSHELLS, readPowerShell } from "../../../lib/powershell.test-support";
import { createToolEngine } from "../../create-tool-engine";
import { describeCopy, loadConfigFile } from "./config-file";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-config-"));
});

async function load(content: unknown) {
  const file = path.join(folder, "toolroom.json");
  await writeFile(file, typeof content === "string" ? content : JSON.stringify(content));
  return await loadConfigFile({ home: folder, rootDir: folder, configPath: file });
}

describe("the configuration file", () => {
  it("DEF-05 limits are read, unknown keys are kept", async () => {
    const config = await load({
      mine: { a: 1 },
      tools: { default_timeout_ms: 5, max_model_chars: 7, registry: [], also: true },
    });
    expect(config.limits).toEqual({ timeoutMs: 5, maxModelChars: 7 });
    expect(config.content).toMatchObject({ mine: { a: 1 }, tools: { also: true } });
    expect(config.problems).toEqual([]);
  });

  it("names a file that is missing in words, with the way out", async () => {
    const { exists, problems } = await loadConfigFile({
      home: folder,
      rootDir: folder,
      configPath: path.join(folder, "none.json"),
    });
    expect(exists).toBe(false);
    expect(problems[0]?.error).toBe("there is no such file. Create it, or point TOOLROOM_CONFIG at yours, and restart");
  });

  it("limits of a model's response are read, and refused out of range", async () => {
    const tools = { max_response_bytes: 65_536, max_response_calls: 16 };
    expect((await load({ tools })).limits).toEqual({ maxResponseBytes: 65_536, maxResponseCalls: 16 });
    const { problems } = await load({ tools: { max_response_bytes: 1, max_response_calls: 100_000 } });
    expect(problems[0]?.error).toMatch(/max_response_bytes.*max_response_calls/);
  });

  it("lists variables that servers inherit, and names one that is none", async () => {
    expect((await load({ serverEnvironment: ["JAVA_HOME", "AWS_*"] })).serverEnvironment).toEqual([
      "JAVA_HOME",
      "AWS_*",
    ]);
    const { serverEnvironment, problems } = await load({ serverEnvironment: ["MINE", "*"] });
    expect(problems[0]?.error).toMatch(/^serverEnvironment\.1: must be the name of a variable, such as JAVA_HOME/);
    expect(serverEnvironment).toEqual([]);
  });

  it("AGT-05 says when users are asked, within limits; without it destructive tools ask for a day", async () => {
    expect((await load({})).approvals).toEqual({
      policy: "destructive",
      expiryMs: 86_400_000,
      gatewayWaitMs: 55_000,
      inClient: true,
    });
    const given = {
      approval: "always",
      approval_expiry_ms: 60_000,
      gateway_approval_wait_ms: 1000,
      approve_in_client: false,
    };
    expect((await load({ tools: given })).approvals).toEqual({
      policy: "always",
      expiryMs: 60_000,
      gatewayWaitMs: 1000,
      inClient: false,
    });
    for (const [key, value] of [
      ["approval", "sometimes"],
      ["approval_expiry_ms", 5],
      ["gateway_approval_wait_ms", 0],
      ["approve_in_client", "yes"],
    ] as const) {
      const { approvals, problems } = await load({ tools: { [key]: value } });
      expect(problems[0]?.error).toContain(`tools.${key}`);
      expect(approvals.policy).toBe("destructive");
    }
  });

  it("names the copy of the example in PowerShell on Windows", () => {
    const place = { home: "/opt/it's [1]", rootDir: "/home/ada/My data" };
    for (const version of POWERSHELLS) {
      const [folder, file] = readPowerShell(describeCopy(place, true), version);
      const source = ["-Recurse", "-Force", "-LiteralPath", "/opt/it's [1]/config", "/home/ada/My data"];
      expect(folder).toMatchObject({ program: "Copy-Item", words: source });
      const from = "/home/ada/My data/config/toolroom.example.json";
      const to = "/home/ada/My data/config/toolroom.json";
      expect(file).toMatchObject({ program: "Copy-Item", words: ["-LiteralPath", from, to] });
    }
  });

  it("reads the user's file, and the product's example where there is none", async () => {
    const home = path.join(folder, "product");
    const rootDir = path.join(folder, "person");
    for (const place of [home, rootDir]) await mkdir(path.join(place, "config"), { recursive: true });
    await writeFile(path.join(home, "config/toolroom.example.json"), "{}");
    const example = await loadConfigFile({ home, rootDir, configPath: null });
    expect(example).toMatchObject({ usingExample: true, path: path.join(home, "config/toolroom.example.json") });
    execSync(example.copyExample);
    expect(await loadConfigFile({ home, rootDir, configPath: null })).toMatchObject({
      usingExample: false,
      problems: [],
    });
    const dataFolder = path.join(folder, "data");
    await mkdir(path.join(dataFolder, "config"), { recursive: true });
    await writeFile(path.join(dataFolder, "config/toolroom.json"), "{}");
    const ofData = await loadConfigFile({ home, rootDir: home, configPath: null, dataFolder });
    expect(ofData).toMatchObject({ usingExample: false, path: path.join(dataFolder, "config/toolroom.json") });
    const both = await loadConfigFile({ home, rootDir, configPath: null, dataFolder });
    expect(both.path).toBe(path.join(rootDir, "config/toolroom.json"));
    await writeFile(path.join(rootDir, "config/toolroom.json"), "{}");
    const own = await loadConfigFile({ home, rootDir, configPath: null });
    expect(own).toMatchObject({ usingExample: false, path: path.join(rootDir, "config/toolroom.json") });
  });

  it("REG-02 a broken, missing or misshapen file is a problem that names it, never an exception", async () => {
    expect((await load("{ not json")).problems[0]?.error).toContain("not JSON");
    expect((await load({ tools: { default_timeout_ms: "soon" } })).problems[0]?.error).toContain(
      "tools.default_timeout_ms",
    );
    const missing = await loadConfigFile({ home: folder, rootDir: folder, configPath: path.join(folder, "nope.json") });
    expect(missing).toMatchObject({ exists: false, problems: [{ source: path.join(folder, "nope.json") }] });
  });

  it("REG-01 the example that ships loads without a problem and all six tools run", async () => {
    const config = await loadConfigFile({
      home: process.cwd(),
      rootDir: process.cwd(),
      configPath: path.resolve("config/toolroom.example.json"),
    });
    expect(config.problems).toEqual([]);
    const engine = createToolEngine({
      builtins: config.builtins,
      internals: { search_tools: () => ({ tools: [] }) },
      limits: config.limits,
    });
    const outcome = engine.registry.loadConfig(config.content);
    expect(outcome).toEqual({
      registered: ["get_weather", "calculator", "echo", "clock", "search_tools", "slow_report", "delete_report"],
      rejected: [],
    });
    const calls: [string, object][] = [
      ["get_weather", { location: "Oslo" }],
      ["calculator", { expression: "12 * 7" }],
      ["echo", { message: null }],
      ["clock", { timezone: "Europe/Oslo" }],
      ["search_tools", { query: "weather" }],
      ["slow_report", { steps: 2, step_ms: 1 }],
    ];
    for (const [name, args] of calls)
      expect(await engine.executor.execute(name, args)).toMatchObject({ success: true });
    expect(await engine.executor.execute("slow_report", { steps: 2, step_ms: 1, fail_at: 2 })).toMatchObject({
      error: "Step 2 of 2 failed, as asked",
    });
  });

  it("IMPL-02 IMPL-06 a module that the configuration lists brings handlers of its own", async () => {
    await writeFile(
      path.join(folder, "ours.mjs"),
      "export const builtins = { shout: ({ text }) => String(text).toUpperCase() };\nexport const internals = { crm: async () => ({ customers: 3 }) };",
    );
    const config = await load({ handlers: ["./ours.mjs"], tools: { registry: [] } });
    expect(config.modules).toEqual([{ path: path.join(folder, "ours.mjs"), builtins: ["shout"], internals: ["crm"] }]);
    const { registry, executor } = createToolEngine({ builtins: config.builtins, internals: config.internals });
    const tool = (name: string, implementation: never) =>
      registry.register({
        name,
        description: "From a module",
        type: "function",
        handler: name,
        parameters: { type: "object" },
        implementation,
      });
    tool("shout", { type: "builtin", handler: "shout" } as never);
    tool("crm", { type: "internal", handler: "crm" } as never);
    expect(await executor.execute("shout", { text: "hi" })).toMatchObject({ result: "HI" });
    expect(await executor.execute("crm", {})).toMatchObject({ result: { customers: 3 } });
  });

  it("REG-02 a module that is missing, broken or exports nothing is a problem, and the rest loads", async () => {
    await writeFile(path.join(folder, "empty.mjs"), "export const other = 1;");
    await writeFile(path.join(folder, "broken.mjs"), "export const = 1;");
    await writeFile(path.join(folder, "wrong.mjs"), "export const builtins = { a: 1 };");
    await writeFile(path.join(folder, "good.mjs"), "export const builtins = { ok: () => 1 };");
    const config = await load({ handlers: ["./none.mjs", "./empty.mjs", "./broken.mjs", "./wrong.mjs", "./good.mjs"] });
    expect(config.problems.map(({ source }) => path.basename(source))).toEqual([
      "none.mjs",
      "empty.mjs",
      "broken.mjs",
      "wrong.mjs",
    ]);
    expect(Object.keys(config.builtins)).toEqual(["ok"]);
  });
});
