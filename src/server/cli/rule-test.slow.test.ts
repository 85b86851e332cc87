import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { callRuleInputSchema } from "../../lib/contract/call-rule";
import { type RuleTest, ruleCaseInputSchema } from "../../lib/contract/rule-case";
import { type Container, createContainer } from "../main/container";
import { readEnv } from "../main/env";
import { runWords, type Surroundings, serveRest } from "./commands.test-support";

let container: Container;
let server: Awaited<ReturnType<typeof serveRest>>;
let folder: string;

const TOOL = {
  name: "refund_order",
  description: "Pays money back",
  type: "function",
  handler: "refund",
  tags: ["money"],
  parameters: { type: "object", properties: { amount: { type: "number" } } },
  implementation: { type: "mock", mock_response: "paid" },
};
const RULES = [
  {
    name: "Large refunds",
    scope: { tags: ["money"] },
    condition: "args.amount > 100",
    effect: { kind: "ask", approver: "admin" },
  },
  { name: "No refunds by guests", caller: { roles: ["viewer"] }, effect: { kind: "deny", reason: "Sign in" } },
];
const CASES = [
  {
    name: "A large refund",
    call: { tool: "refund_order", arguments: { amount: 500 } },
    expect: { outcome: "ask", rule: "Large refunds" },
  },
  {
    name: "A small refund",
    call: { tool: "refund_order", arguments: { amount: 5 }, caller: { role: "operator" } },
    expect: { outcome: "none" },
  },
];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-rule-test-"));
  const env = readEnv({ DATABASE_URL: `file:${folder}/toolroom.db`, TOOLROOM_LOG_LEVEL: "silent" });
  container = await createContainer(env);
  const { tools, rules, ruleCases } = container.services;
  await tools.create(LOCAL_PRINCIPAL, JSON.stringify(TOOL));
  for (const rule of RULES) await rules.create(LOCAL_PRINCIPAL, callRuleInputSchema.parse(rule));
  for (const each of CASES) await ruleCases.create(LOCAL_PRINCIPAL, ruleCaseInputSchema.parse(each));
  server = await serveRest(container);
});
afterAll(async () => {
  await server?.close();
  await container?.close();
  await rm(folder, { recursive: true, force: true });
});

const run = (words: readonly string[], io: Surroundings = {}) =>
  runWords(words, { cwd: folder, ...io, env: { TOOLROOM_URL: server.url, ...io.env } });
/** Where no Toolroom answers. */
const runAlone = (words: readonly string[]) => run(words, { env: { TOOLROOM_URL: "http://127.0.0.1:9" } });

it("rules test passes with a table and a report, and says by which rule each call is decided", async () => {
  const { code, stdout } = await run(["rules", "test", "--junit", "report/rules.xml"]);
  expect([code, stdout.split("\n").map((line) => line.replace(/ {2,}/g, " | "))]).toEqual([
    0,
    [
      "STATUS | CASE | EXPECTED | GOT | BY RULE",
      "passed | A large refund | ask by Large refunds | ask | Large refunds",
      "passed | A small refund | none | none",
      "2 of 2 cases passed.",
      "",
    ],
  ]);
  const report = await readFile(path.join(folder, "report/rules.xml"), "utf8");
  expect(report).toContain('<testsuite name="rules" tests="2" failures="0" errors="0" skipped="0">');
  expect(report).toContain('<testcase name="A large refund" classname="rules.refund_order" time="0.000"/>');
});

it("rules explain says who would be asked for a call and what each rule does, with the arguments as they were typed", async () => {
  const large = await run(["rules", "explain", "refund_order", '{"amount":9054686819491029395}', "--role", "operator"]);
  expect([large.code, large.stderr]).toEqual([0, ""]);
  const [first, ...lines] = large.stdout.split("\n").map((line) => line.replace(/ {2,}/g, " | "));
  expect(first).toBe("Asks an admin, by rule Large refunds");
  expect(lines).toContainEqual(expect.stringContaining("1 | Large refunds | ask an admin | Matches *"));
  expect(lines).toContainEqual(expect.stringContaining("2 | No refunds by guests | deny | Not reached"));
  expect(lines).toContainEqual(expect.stringContaining("Installation policy | allow"));
  const guest = await run(["rules", "explain", "refund_order", "-", "--role", "viewer", "--json"], { stdin: "{}" });
  expect(JSON.parse(guest.stdout)).toMatchObject({ outcome: "denied", by: "No refunds by guests" });
  expect((await run(["rules", "explain", "refund_order", "{"])).code).not.toBe(0);
  const unknown = await run(["rules", "explain", "nothing"]);
  expect(unknown.stderr).toContain("The tool 'nothing' does not exist: correct 'call.tool'");
  expect((await container.services.executions.list({}, undefined, 50)).items).toEqual([]);
});

it("a catalog file is tested without a server, as the server tests it, and a change in it fails with what was read", async () => {
  const { stdout: text } = await run(["export", "catalog"]);
  await writeFile(path.join(folder, "catalog.json"), text);
  const onServer = JSON.parse((await run(["rules", "test", "--json"])).stdout) as RuleTest;
  const inFile = await runAlone(["rules", "test", "--file", "catalog.json", "--json"]);
  expect(inFile.stderr).toBe("");
  expect([inFile.code, JSON.parse(inFile.stdout)]).toEqual([0, onServer]);

  await writeFile(path.join(folder, "changed.json"), text.replace("args.amount > 100", "args.amount > 1000"));
  const changed = await runAlone(["rules", "test", "--file", "changed.json", "--junit", "changed.xml"]);
  expect(changed.code).toBe(1);
  expect(changed.stderr).toContain("1 case of 2 failed.");
  expect(changed.stdout).toContain("The rule 'No refunds by guests' depends on 'call.caller.role'");
  expect(changed.stdout).toContain("Large refunds read args.amount = 500");
  const report = await readFile(path.join(folder, "changed.xml"), "utf8");
  expect(report).toContain('errors="1"');
  expect(report).toContain("expected ask by Large refunds, got cannot tell, because of No refunds by guests");
});

it("a file that cannot be tested is refused with each place and what is wrong there", async () => {
  const file = {
    toolroom: 1,
    rules: [
      { name: "a", condition: "args.amount >", effect: { kind: "ask" } },
      { name: "b", effect: { kind: "no" } },
    ],
    ruleCases: [{ name: "c", call: { tool: "t", arguments: [] }, expect: { outcome: "maybe" } }],
  };
  await writeFile(path.join(folder, "broken.json"), JSON.stringify(file));
  const { code, stderr } = await runAlone(["rules", "test", "--file", "broken.json"]);
  expect(code).toBe(2);
  for (const place of [
    "rules[0].condition",
    "rules[1].effect",
    "ruleCases[0].call.arguments",
    "ruleCases[0].expect.outcome",
  ]) {
    expect(stderr).toContain(place);
  }
  await writeFile(path.join(folder, "none.json"), '{"toolroom":1,"rules":[]}');
  expect(await runAlone(["rules", "test", "--file", "none.json"])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("There are no cases."),
  });
  await writeFile(path.join(folder, "other.json"), "{");
  expect(await runAlone(["rules", "test", "--file", "other.json"])).toMatchObject({ code: 2 });
});

it("a tool of a server is known in a file by its name alone, and a case that depends on more says so", async () => {
  const file = {
    toolroom: 1,
    servers: [{ name: "shop" }],
    rules: [
      { name: "Shop", scope: { servers: ["shop"] }, condition: "args.a == 1", effect: { kind: "ask" } },
      { name: "Money", scope: { tags: ["money"] }, effect: { kind: "ask" } },
    ],
    ruleCases: [
      { name: "1", call: { tool: "shop__pay", arguments: { a: 1 } }, expect: { outcome: "ask", rule: "Shop" } },
      { name: "2", call: { tool: "shop__pay", arguments: { a: 2 } }, expect: { outcome: "none" } },
      { name: "3", call: { tool: "shop__pay", arguments: { a: 2 }, tags: ["x"] }, expect: { outcome: "none" } },
    ],
  };
  await writeFile(path.join(folder, "servers.json"), JSON.stringify(file));
  const { stdout } = await runAlone(["rules", "test", "--file", "servers.json", "--json"]);
  const { cases } = JSON.parse(stdout) as RuleTest;
  expect(cases.map(({ result }) => result.status)).toEqual(["passed", "error", "passed"]);
  expect(cases[1]?.result.notes).toEqual([
    expect.stringContaining("The tool 'shop__pay' is not in the file"),
    "The rule 'Money' depends on 'call.tags', which the case does not give: add it",
  ]);
});

it("rules save names the cases that it breaks, which are then listed as failed and deleted by name", async () => {
  await writeFile(path.join(folder, "rule.json"), JSON.stringify({ ...RULES[0], state: "off" }));
  const saved = await run(["rules", "save", "rule.json"]);
  expect(saved).toMatchObject({ code: 0, stderr: "1 case fails now: A large refund.\n" });
  const listed = await run(["rules", "cases"]);
  expect(listed.stdout).toContain("A large refund");
  const failed = await run(["rules", "test"]);
  expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("1 case of 2 failed.")]);
  expect(await run(["rules", "delete-case", "A large refund"])).toMatchObject({
    stdout: "Deleted the case A large refund.\n",
  });
  expect(await run(["rules", "test"])).toMatchObject({ code: 0 });
});
