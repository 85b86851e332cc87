import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ChangeReport } from "../../../lib/contract/change-verdict";
import { runWords } from "../commands.test-support";

const SERVER = path.resolve("e2e/support/mcp-servers/versioned.mjs");
const SECRET = "s3cr3t-va/ue+of the candidate";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(path.join(os.tmpdir(), "toolroom-check-test-"));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));
beforeEach(async () => {
  await rm(inFolder("tools.baseline.json"), { force: true });
  await offer([READ, LIST]);
  await check("--update-baseline");
});

const READ = {
  name: "read",
  description: "Reads a page",
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, mode: { enum: ["fast", "exact"] } },
    required: ["path"],
  },
};
const LIST = {
  name: "list",
  description: "Lists",
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
};
const STRICT = { ...READ, inputSchema: { ...READ.inputSchema, required: ["path", "mode"] } };

const inFolder = (name: string): string => path.join(cwd, name);
const offer = (tools: unknown) => writeFile(inFolder("tools.json"), JSON.stringify(tools));
const read = (name: string) => readFile(inFolder(name), "utf8");

function check(...words: string[]) {
  const command = ["--", process.execPath, SERVER, inFolder("tools.json"), inFolder("methods.log")];
  return runWords(["check", ...words, ...command], { cwd, env: { ...process.env, TOOLROOM_URL: undefined } });
}

const VERDICT: ChangeReport = {
  server: "pages",
  at: 1,
  unchanged: 3,
  replay: null,
  severity: "error",
  schema: [{ tool: "read", change: "changed", outcome: "by-convention", severity: "info", findings: [] }],
  traffic: [
    {
      tool: "read",
      from: 0,
      to: 1,
      total: 1204,
      complete: true,
      severity: "error",
      counts: { accepted: 1160, rejected: 37, alreadyInvalid: 5, undecidable: 2 },
      reasons: [{ reason: "`priority` became required", path: "priority", calls: 37 }],
      examples: [],
      broken: 37,
      clients: [],
      people: [],
      ignored: [],
      results: { judged: 0, undecidable: 0 },
      fields: [{ path: "title", calls: 4 }],
    },
  ],
};

describe("toolroom check against a server of a Toolroom", () => {
  it("sends the candidate's tools, and reports the recorded calls that would fail", async () => {
    const requests: { path: string | undefined; body: { tools: { name: string }[]; last: string } }[] = [];
    const toolroom = createServer(async (request, response) => {
      requests.push({ path: request.url, body: (await json(request)) as (typeof requests)[number]["body"] });
      response.setHeader("content-type", "application/json").end(JSON.stringify(VERDICT));
    });
    toolroom.listen(0, "127.0.0.1");
    await once(toolroom, "listening");
    try {
      const address = `http://127.0.0.1:${(toolroom.address() as AddressInfo).port}`;
      const { code, stdout } = await check("--server", "pages", "--last", "7d", "--toolroom", address);
      expect(code).toBe(1);
      expect(stdout).toContain("37 of 1,204 recent calls would be rejected: `priority` became required (37)");
      expect(stdout).toContain("4 calls received 'title', which is gone");
      expect(requests.map(({ path }) => path)).toEqual(["/api/v1/servers/pages/changes/check"]);
      expect(requests[0]?.body.tools.map(({ name }) => name)).toEqual(["read", "list"]);
      expect(requests[0]?.body.last).toBe("7d");
    } finally {
      toolroom.close();
    }
  });
});

describe("toolroom check against a baseline", () => {
  it("passes for the same tools, whatever their order, and calls none of them", async () => {
    await writeFile(inFolder("methods.log"), "");
    await offer([LIST, { ...READ, description: READ.description }]);
    const { code, stdout, stderr } = await check();
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "No tool changed (2 tools).\n", stderr: "" });
    const methods = (await read("methods.log")).trim().split("\n");
    expect(methods).toContain("tools/list");
    expect(methods).not.toContain("tools/call");
  });

  it("fails where a call would be refused, and shows it", async () => {
    await offer([STRICT, LIST]);
    const { code, stdout } = await check();
    expect(code).toBe(1);
    expect(stdout).toContain("parameter 'mode' is now required  input.required");
    expect(stdout).toContain('{"path":"a"}  accepted before, refused now');
    expect(stdout).toContain("1 of 2 tools changed: 1 error. Fails at error.");
    expect((await check("--fail-on", "never")).code).toBe(0);
    expect((await check("--rule", "input.required=warning")).code).toBe(0);
    expect((await check("--rule", "input.required=warning", "--fail-on", "warning")).code).toBe(1);
  });

  it("writes the same baseline for the same tools, with one key a line, and keeps its rules", async () => {
    const before = await read("tools.baseline.json");
    await offer([LIST, { inputSchema: READ.inputSchema, description: READ.description, name: "read" }]);
    expect((await check("--update-baseline")).stdout).toBe("tools.baseline.json is up to date (2 tools).\n");
    expect(await read("tools.baseline.json")).toBe(before);
    await offer([{ ...READ, description: "Reads one page" }, LIST]);
    await check("--update-baseline", "--rule", "tool.description=off");
    const after = await read("tools.baseline.json");
    const changed = after.split("\n").filter((line) => !before.split("\n").includes(line));
    expect(changed).toEqual([
      '  "rules": {',
      '    "tool.description": "off"',
      "  },",
      '      "description": "Reads one page",',
    ]);
    await offer([READ, LIST]);
    expect((await check("--fail-on", "info")).code).toBe(0);
  });

  it("gives JSON, JUnit, SARIF and Markdown that hold what the server sent as text", async () => {
    const name = 'a<b>&"]]>|`@team`';
    await offer([STRICT, { ...LIST, description: "no\u001b[31mthing\u0000" }, { name, inputSchema: {} }]);
    const formats = ["json", "junit", "sarif", "markdown"];
    const words = formats.flatMap((format) => ["--report", `${format}=report.${format}`]);
    expect((await check("--format", "json", ...words)).code).toBe(1);
    const report = JSON.parse(await read("report.json")) as ChangeReport & { failed: boolean };
    expect(report).toMatchObject({ failed: true, server: "versioned", severity: "error", unchanged: 0, traffic: null });
    expect(report.schema.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      [name, "compatible"],
      ["list", "wording"],
      ["read", "breaking"],
    ]);
    const junit = await read("report.junit");
    expect(junit).toContain('<testsuite name="toolroom check versioned" tests="4" failures="1" errors="0"');
    expect(junit).toContain('name="a&lt;b&gt;&amp;&quot;]]&gt;|`@team`"');
    expect(junit).toContain(`<failure type="error" message="parameter &apos;mode&apos; is now required">`);
    const markdown = await read("report.markdown");
    expect(markdown).toContain("| `read` | breaking | ❌ error |");
    expect(markdown).toContain('| `` a<b>&"]]>\\|`@team` `` | added | ℹ️ info |');
    for (const sign of ["\u0000", "\u001b"]) expect(`${junit}${markdown}`).not.toContain(sign);
  });

  it("points SARIF results at the lines of the baseline, with rules and fingerprints that stay", async () => {
    await offer([STRICT, LIST]);
    await check("--report", "sarif=report.sarif");
    const first = await read("report.sarif");
    const { version, runs } = JSON.parse(first);
    const [{ tool, results }] = runs;
    expect(version).toBe("2.1.0");
    expect(tool.driver.rules[results[0].ruleIndex].id).toBe(results[0].ruleId);
    expect(results[0]).toMatchObject({ ruleId: "input.required", level: "error" });
    const { artifactLocation, region } = results[0].locations[0].physicalLocation;
    expect(artifactLocation.uri).toBe("tools.baseline.json");
    const lines = (await read("tools.baseline.json")).split("\n");
    expect(lines[region.startLine - 1]?.trim()).toBe('"name": "read",');
    const { stdout } = await check("--format", "github", "--report", "sarif=report.sarif");
    expect(stdout).toContain(`::error file=tools.baseline.json,line=${region.startLine},title=input.required::read: `);
    const again = JSON.parse(await read("report.sarif"));
    expect(again.runs[0].results).toEqual(results);
  });

  it("keeps the candidate's environment out of everything that it prints and writes", async () => {
    await offer([
      { ...READ, description: "Uses CANDIDATE_TOKEN" },
      { ...STRICT, name: "CANDIDATE_TOKEN" },
    ]);
    const formats = ["json", "junit", "sarif", "markdown", "text", "github"];
    const words = formats.flatMap((format) => ["--report", `${format}=secret.${format}`]);
    const env = ["--env", `CANDIDATE_TOKEN=${SECRET}`];
    const outputs = [
      await check(...env, ...words),
      await check(...env, "--update-baseline", "--baseline", "secret.base"),
    ];
    const files = await Promise.all([...formats, "base"].map((format) => read(`secret.${format}`)));
    await writeFile(inFolder("tools.json"), "no JSON");
    outputs.push(await check(...env));
    expect(outputs.map(({ code }) => code)).toEqual([1, 0, 5]);
    const all = [...files, ...outputs.flatMap(({ stdout, stderr }) => [stdout, stderr])].join("\n");
    expect(all).toContain("Uses [redacted]");
    for (const form of [SECRET, encodeURIComponent(SECRET), "s3cr3t"]) expect(all).not.toContain(form);
  });

  it("says what is missing, and which exit code stands for it", async () => {
    const run = (...words: string[]) => runWords(["check", ...words], { cwd, env: process.env });
    const missing = await check("--baseline", "none.json");
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("There is no baseline none.json.") });
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining("--candidate") });
    expect(await check("--rule", "input.what=off")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("input.what"),
    });
    expect(await check("--last", "7d")).toMatchObject({ code: 2, stderr: expect.stringContaining("--last") });
    await writeFile(inFolder("broken.json"), "[]");
    expect(await check("--baseline", "broken.json")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("not a baseline"),
    });
    const absent = await run("--candidate", "no-such-program-here --flag");
    expect(absent).toMatchObject({ code: 5, stderr: expect.stringContaining("'no-such-program-here' was not found") });
  });

  it("ends with the time that it may take, and leaves no process", async () => {
    const program = `require("node:fs").writeFileSync("silent.pid", String(process.pid)); setInterval(() => {}, 1000)`;
    const silent = await runWords(["check", "--timeout", "2", "--", process.execPath, "-e", program], {
      cwd,
      env: process.env,
    });
    expect(silent.code).toBe(5);
    expect(silent.stderr).toContain("could not be listed");
    const pid = Number(await read("silent.pid"));
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });
});

describe("toolroom check and tools that are nested deeply", () => {
  /** Written as text: a process that builds such values may not be able to write them. */
  async function makeServer(): Promise<string> {
    const file = inFolder("deep.mjs");
    const source = `import { createInterface } from "node:readline";
const [, , levels, open, middle, close] = process.argv;
const tool = '{"name":"deep","inputSchema":{"type":"object","x":' + open.repeat(Number(levels)) + middle + close.repeat(Number(levels)) + "}}";
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const reply = (key, text) => process.stdout.write('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"' + key + '":' + text + "}" + String.fromCharCode(10));
  const introduction = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "deep", version: "1" } };
  if (method === "initialize") reply("result", JSON.stringify(introduction));
  else if (method === "tools/list") reply("result", '{"tools":[' + tool + "]}");
  else if (id !== undefined) reply("error", '{"code":-32601,"message":"unknown"}');
});
`;
    await writeFile(file, source);
    return file;
  }

  it.each([
    ["lists", "[", "", "]"],
    ["objects", '{"a":', "{}", "}"],
    ["schemas", '{"allOf":[', "{}", "]}"],
  ])("ends with the code of a candidate that could not be listed, and says why: %s", async (_, ...parts) => {
    const server = await makeServer();
    for (const levels of ["2000", "6000", "100000"]) {
      for (const words of [[], ["--update-baseline"], ["--env", `API_TOKEN=${SECRET}`]]) {
        const command = ["--", process.execPath, server, levels, ...parts];
        const said = await runWords(["check", ...words, ...command], {
          cwd,
          env: { ...process.env, TOOLROOM_URL: undefined },
        });
        expect([levels, words, said.code]).toEqual([levels, words, 5]);
        // A long message is refused before it is parsed, so its tools have no names.
        const reason =
          /^The candidate's tools could not be listed: .*(?:'deep' is nested deeper than 1000 levels|JSON of this size may be 1000 levels deep)\n$/;
        expect(said.stderr).toMatch(reason);
      }
    }
  });

  it.each([
    ["lists", "[", "", "]"],
    ["objects", '{"a":', "{}", "}"],
    ["schemas", '{"allOf":[', "{}", "]}"],
  ])("ends with the same code for a baseline that is nested deeply, and names its file: %s", async (_, ...parts) => {
    const [open, middle, close] = parts as [string, string, string];
    for (const levels of [2_000, 50_000, 1_000_000]) {
      const nested = open.repeat(levels) + middle + close.repeat(levels);
      const tool = `{"name":"read","inputSchema":{"type":"object","x":${nested}}}`;
      await writeFile(inFolder("tools.baseline.json"), `{"toolroomBaseline":1,"tools":[${tool}]}`);
      expect(await check()).toMatchObject({
        code: 5,
        stderr: expect.stringMatching(/tools\.baseline\.json is nested deeper than 1000 levels/),
      });
    }
  });
});
