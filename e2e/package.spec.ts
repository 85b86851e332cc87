import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { findFaults } from "../scripts/pack/check-package.mjs";
import { packageBin, runCommand, runNpm } from "../scripts/run-command.mjs";
import { waitUntil } from "../src/lib/wait-until.test-support";
import { Collector } from "../src/server/platform/telemetry/collector.test-support";
import { input, runButton } from "./support/arguments-editor";
import { readCommands } from "./support/documented-commands";
import { expect, test } from "./support/fixtures";
import { GATEWAY_CLIENTS } from "./support/gateway-clients";
import { PackedToolroom, type RunningProgram } from "./support/package";
import { choosePrograms, proveUpgrade } from "./support/package-upgrade";
import { proveKeptEntry, proveWrap } from "./support/package-wrap";

// One package and one installation for all of them; each has a home folder of its own.
test.describe.configure({ mode: "default" });
let packed: PackedToolroom;

test.beforeAll(async () => {
  test.setTimeout(240_000);
  packed = await PackedToolroom.create();
});
test.afterAll(() => packed.remove());

/** A signal to npx reaches its program, which the end of npx does not wait for. */
async function endProgram(program: RunningProgram | null, data: string): Promise<void> {
  const note = path.join(data, "toolroom.db.server.json");
  expect(existsSync(note)).toBe(true);
  program?.child.kill("SIGTERM");
  await waitUntil(() => !existsSync(note), { timeoutMs: 30_000 });
  await expect
    .poll(() =>
      fetch(program?.url ?? "").then(
        () => "answers",
        () => "gone",
      ),
    )
    .toBe("gone");
}

const dataOf = (home: string): string => path.join(home, ".local/share/toolroom");

test("the package is small, and holds no data, key, source map, path of its build or secret of a user", () => {
  const unpacked = packed.unpack();
  expect(findFaults(unpacked, [process.cwd(), packed.folder])).toEqual([]);
  const files = readdirSync(unpacked, { recursive: true, encoding: "utf8" });
  expect(
    files.filter((file) => /\.(?:db|key|env|map|tsx)$|^(?:data|node_modules\/(?:sharp|@img))\b/.test(file)),
  ).toEqual([]);
  for (const file of [
    "LICENSE",
    "CHANGELOG.md",
    "THIRD-PARTY-NOTICES.txt",
    "dist/engine.d.ts",
    "prisma/migrations",
    "server.mjs",
  ]) {
    expect(files).toContain(file);
  }
  expect(statSync(packed.file).size).toBeLessThan(21_000_000);
  expect(packed.countInstalledBytes()).toBeLessThan(120_000_000);
});

test("the package can be published as it is", async () => {
  const folder = packed.createFolder("publisher");
  const environment = {
    HOME: folder,
    npm_config_cache: path.join(folder, "cache"),
    npm_config_update_notifier: "false",
  };
  const { code, output } = await runNpm(["publish", "--dry-run", "--ignore-scripts", "--json", packed.file], {
    env: environment,
  });
  expect(code, output).toBe(0);
  // There is no login here. Any other warning names something in the package that publishing would change or refuse.
  expect(output).not.toMatch(/npm (?:warn|error) publish (?!This command requires you to be logged in)/i);
});

test("an installation that its user cannot write serves the console, keeps data in the user's folder and calls tools", async ({
  page,
}) => {
  const home = packed.createFolder("ada");
  const before = readdirSync(packed.installed, { recursive: true }).length;
  const collector = await Collector.start();
  const server = await packed.start(packed.command, ["--port", "0"], home, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  });
  expect(server.printed()).toBe(`Toolroom is ready: ${server.url}\n`);
  expect(await (await fetch(`${server.url}/healthz`)).json()).toMatchObject({ status: "ok" });
  // Both are parts of the package that are loaded when they are wanted.
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain("toolroom_build_info");

  await page.goto(`${server.url}/tools/calculator`);
  // Arithmetic runs in a process of its own, and a form's schema is compiled: both are workers of the package.
  await expect(page.getByText("live", { exact: true })).toBeVisible();
  await input(page, "expression").fill("det([1, 2; 3, 4])");
  await runButton(page).click();
  await expect(page.locator('[data-status="succeeded"]').first()).toBeVisible();
  await page.goto(`${server.url}/executions`);
  await expect(page.locator("[data-execution]").first()).toContainText("calculator");

  // A client's process finds the running server by its data.
  const client = new Client({ name: "probe", version: "1" });
  const bridge = path.join(packed.installed, "scripts/mcp.mjs");
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [bridge, "--data", dataOf(home)], env: {} }),
  );
  const { content } = await client.callTool({ name: "echo", arguments: { text: "over stdio" } });
  expect(JSON.stringify(content)).toContain("over stdio");
  await client.close();

  const again = await packed.run(packed.command, [], home);
  expect(again).toEqual({ code: 0, output: `Toolroom is already running: ${server.url}\n` });
  expect(await server.stop()).toBe(0);
  expect(collector.find("tools/call echo").attributes["network.transport"]).toBe("pipe");
  await collector.stop();
  expect(readdirSync(packed.installed, { recursive: true })).toHaveLength(before);
  expect(readdirSync(dataOf(home))).toContain("toolroom.db");
});

test("an upgrade keeps a copy, calls, tools and secrets; the older program refuses the newer database, and runs again on the copy", async () => {
  test.setTimeout(240_000);
  const { OLDER_PACKAGE } = process.env;
  const older = OLDER_PACKAGE === undefined ? null : await PackedToolroom.create(OLDER_PACKAGE);
  await proveUpgrade(choosePrograms(packed, older));
  older?.remove();
});

test("wrap starts nothing, both SDKs get exactly their servers' tools in the first list and call them, and unwrap restores every byte", async () => {
  test.setTimeout(120_000);
  await proveWrap(packed);
});

test("a client that npx wrapped goes on without the cache of npx and after an upgrade, and doctor repairs its entry", async () => {
  test.setTimeout(240_000);
  await proveKeptEntry(packed);
});

test("toolroom demo serves sample data from a folder of its own, and --reset removes it", async () => {
  test.setTimeout(180_000);
  const home = packed.createFolder("dora");
  const demo = path.join(dataOf(home), "demo");
  const server = await packed.start(packed.command, ["demo", "--no-open", "--port", "0"], home);
  const page = await (await fetch(`${server.url}/api/v1/executions?limit=200`)).json();
  expect(page.items).toHaveLength(200);
  expect(readdirSync(dataOf(home))).toEqual(["demo"]);
  const busy = await packed.run(packed.command, ["demo", "--reset"], home);
  expect(busy).toEqual({
    code: 4,
    output: expect.stringMatching(/^The demo is running at .*\nStop it with Ctrl\+C first/),
  });
  expect(await server.stop()).toBe(0);
  expect((await packed.run(packed.command, ["demo", "--reset"], home)).code).toBe(0);
  expect(existsSync(demo)).toBe(false);
});

test("npx runs the package file from an empty cache, and a signal to npx ends it cleanly", async () => {
  const home = packed.createFolder("nell");
  const npx = await packed.start("npx", ["--offline", "-y", `file:${packed.file}`, "--port", "0"], home, {
    npm_config_cache: path.join(home, "cache"),
    npm_config_update_notifier: "false",
  });
  expect((await fetch(`${npx.url}/tools`)).status).toBe(200);
  await endProgram(npx, dataOf(home));
});

test("the README's commands run as they stand", async () => {
  test.setTimeout(240_000);
  const home = packed.createFolder("rosa");
  const config = { mcpServers: { files: { command: "node", args: ["/srv/files.mjs"] } } };
  mkdirSync(path.join(home, ".cursor"));
  const cursor = path.join(home, ".cursor/mcp.json");
  writeFileSync(cursor, JSON.stringify(config));
  const bin = path.join(home, "bin");
  mkdirSync(bin);
  // The client only has to understand its own line.
  writeFileSync(path.join(bin, "claude"), '#!/bin/sh\necho "$@" > "$HOME/claude.txt"\n', { mode: 0o755 });
  for (const file of [path.join(home, ".cursor"), cursor, bin]) chmodSync(file, 0o777);
  const env = {
    PORT: "0",
    PATH: `${bin}:${process.env.PATH}`,
    npm_config_cache: path.join(home, "cache"),
    npm_config_update_notifier: "false",
  };
  const commands = readCommands("README.md");
  const named = /\S+\.tgz/.exec(commands.join("\n"))?.[0] ?? "";
  copyFileSync(packed.file, path.join(home, named));
  let demo: RunningProgram | null = null;
  const tried: Record<string, (line: string) => Promise<void> | void> = {
    // Its journey is the tour's, the next one's is the package of this file, and the image's is below.
    "npm start": () => {},
    "npm run package": () => {},
    "docker compose up": () => {},
    [`npx ${named} demo`]: async (line) => {
      demo = await packed.start("sh", ["-c", `exec ${line}`], home, env);
      const { items } = await (await fetch(`${demo.url}/api/v1/executions?limit=200`)).json();
      expect(items).toHaveLength(200);
    },
    "claude mcp add": async (line) => {
      expect(await packed.run("sh", ["-c", line], home, env)).toMatchObject({ code: 0 });
      const [transport, name, address = ""] = readFileSync(path.join(home, "claude.txt"), "utf8")
        .trim()
        .split(" ")
        .slice(-3);
      expect([transport, name]).toEqual(["http", "toolroom"]);
      const served = new URL(new URL(address).pathname, demo?.url);
      for (const { connect } of GATEWAY_CLIENTS) {
        const client = await connect(served.href);
        expect(await client.listNames()).toContain("get_weather");
        await client.close();
      }
    },
    [`npx ${named} wrap --dry-run`]: async (line) => {
      const { code, output } = await packed.run("sh", ["-c", line], home, env);
      expect(code).toBe(0);
      expect(output).toMatch(/files/);
      expect(JSON.parse(readFileSync(cursor, "utf8"))).toEqual(config);
    },
  };
  for (const line of commands) {
    const [, run] = Object.entries(tried).find(([start]) => line.startsWith(start)) ?? [];
    if (run === undefined) throw new Error(`No test runs the README's ${line}`);
    await run(line);
  }
  await endProgram(demo, path.join(dataOf(home), "demo"));
});

test("the package of one system starts on another: one that is macOS by its name and has no /proc runs servers and ends them", async () => {
  const home = packed.createFolder("mira");
  const preload = packed.addFile(path.resolve("e2e/support/darwin-without-proc.cjs"));
  const server = await packed.start(packed.command, ["--port", "0", "--data", "data"], home, {
    NODE_OPTIONS: `--require ${preload}`,
  });
  expect((await fetch(`${server.url}/tools`)).status).toBe(200);
  const program = packed.addFile(path.resolve("prisma/seed/stories/orders-server.mjs"));
  const settings = { transport: "stdio", name: "orders", command: process.execPath, args: [program] };
  const post = (route: string, body: object) =>
    fetch(`${server.url}/api/v1${route}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  expect((await post("/servers", { settings })).status).toBe(201);
  const call = () => post("/tools/orders__get_order/execute", { arguments: { order: "A-1" } });
  await expect.poll(async () => (await call()).status).toBe(200);
  expect(await server.stop()).toBe(0);
});

test("a start that cannot succeed says why and what to do, in one sentence each", async () => {
  const home = packed.createFolder("max");
  const taken = await packed.start(packed.command, ["--port", "0", "--data", "one"], home);
  const port = new URL(taken.url).port;
  const fail = async (args: string[], env: Record<string, string> = {}) => {
    const { code, output } = await packed.run(packed.command, args, home, env);
    // 2 for a command line that is not understood.
    expect([1, 2]).toContain(code);
    expect(output).not.toMatch(/^\s+at /m);
    return output;
  };
  expect(await fail(["--port", port, "--data", "two"])).toMatch(
    /is in use\.\nToolroom may already be running: open .* --port \d+/,
  );
  expect(await fail(["--port", "0", "--data", "one"])).toMatch(
    /in use by the Toolroom at http:\S+ \(pid \d+\)\. Use that one/,
  );
  writeFileSync(path.join(home, "file"), "");
  expect(await fail(["--port", "0", "--data", "file/data"])).toMatch(
    /cannot write in its data folder .*\n.*--data <folder>/,
  );
  expect(await fail(["--port", "no"])).toMatch(/not a port number|must be a number/);
  await taken.stop();
  // The move loads both databases' drivers.
  const variables = { TOOLROOM_SECRET_KEY: readFileSync(path.join(home, "one/toolroom.db.key"), "utf8").trim() };
  expect(await fail(["migrate", "--data", "one", "--to", "postgresql://ada@127.0.0.1:1/none"], variables)).toMatch(
    /^The database postgresql:\/\/127\.0\.0\.1:1\/none cannot be reached \(ECONNREFUSED\)\. Check host and port of --to/,
  );
});

test("toolroom/engine runs in an ES module and in CommonJS, with types, from the installed package", async () => {
  const home = path.join(packed.folder, "installed");
  const body = `
    const engine = createToolEngine({ timeoutMs: 5000 });
    engine.registry.registerFunction(
      { name: "greet", description: "Greets a person", parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
      async ({ name }) => "Hello " + name,
    );
    const tools = [{ name: "sum", description: "Adds", type: "function", handler: "math_eval", parameters: { type: "object" }, implementation: { type: "builtin", handler: "math_eval" } }];
    engine.registry.loadConfig({ tools: { registry: tools } });
    const run = async () => {
      const greeted = await engine.executor.execute("greet", { name: "Ada" });
      const missing = await engine.executor.execute("greet", {});
      const sum = await engine.executor.execute("sum", { expression: "inv([2, 0; 0, 2])[1, 1]" });
      await engine.close();
      console.log(JSON.stringify([greeted.success && greeted.result, missing.success || missing.error, sum.success && sum.result]));
    };
    run();
  `;
  const expected = JSON.stringify(["Hello Ada", "Invalid parameters: missing 'name'", { result: 0.5 }]);
  const imported = `import { createToolEngine } from "toolroom/engine";\n${body}`;
  writeFileSync(path.join(home, "program.mjs"), imported);
  writeFileSync(path.join(home, "program.cjs"), `const { createToolEngine } = require("toolroom/engine");\n${body}`);
  for (const ending of ["mts", "cts"]) writeFileSync(path.join(home, `program.${ending}`), imported);
  for (const file of ["program.mjs", "program.cjs"]) {
    expect(await packed.run(process.execPath, [file], home)).toEqual({ code: 0, output: `${expected}\n` });
  }
  const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2024", "--lib", "es2024,dom"];
  const files = ["program.mts", "program.cts"].map((file) => path.join(home, file));
  const tsc = [packageBin("typescript-7", "tsc"), "--ignoreConfig", "--types", "", ...options, ...files];
  expect(await runCommand(process.execPath, tsc)).toEqual({ code: 0, output: "" });
});

test("the image runs what this test has run, as a user of its own, with a health check that notices", async () => {
  const text = readFileSync("Dockerfile", "utf8").replaceAll(/\\\n/g, " ");
  const instructions = text
    .split("\n")
    .filter((line) => /^\s*[A-Z]/.test(line))
    .map((line) => line.trim().replaceAll(/\s+/g, " "));
  const last = instructions.slice(instructions.findLastIndex((line) => line.startsWith("FROM ")));
  expect(instructions.filter((line) => line.startsWith("RUN node"))).toEqual([
    "RUN node scripts/image.mjs /opt/toolroom",
  ]);
  expect(instructions.filter((line) => line.startsWith("FROM ") && /latest|^FROM \w+$/.test(line))).toEqual([]);
  expect(last).toContain("USER node");
  expect(last).toContain("VOLUME /data");
  expect(last).toContain(
    'ENTRYPOINT ["tini", "--", "node", "--max-semi-space-size=16", "/opt/toolroom/node_modules/.bin/toolroom"]',
  );
  expect(last.indexOf("USER node")).toBeLessThan(last.findIndex((line) => line.startsWith("ENTRYPOINT")));
  expect(instructions.filter((line) => /^(?:ENV|ARG)\b.*(?:TOKEN|SECRET|PASSWORD|KEY)/.test(line))).toEqual([]);

  const home = packed.createFolder("image");
  const env = { HOST: "0.0.0.0", PORT: "0", TOOLROOM_DATA: path.join(home, "data"), NODE_ENV: "production" };
  const server = await packed.start(packed.command, [], home, env);
  await expect.poll(server.printed).toMatch(/Create the first account, within a day: http:\/\/localhost:\d+\/join#/);
  const check = /HEALTHCHECK.*CMD (\[.*\])$/m.exec(text)?.[1] ?? "[]";
  const [, ...args] = JSON.parse(check) as string[];
  const port = new URL(server.url).port;
  expect((await packed.run(process.execPath, args, home, { PORT: port })).code).toBe(0);
  expect(await server.stop()).toBe(0);
  expect((await packed.run(process.execPath, args, home, { PORT: port })).code).toBe(1);
});
