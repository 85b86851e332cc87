import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toolsetInputSchema } from "../../../lib/contract/toolset";
import { aliasesByName } from "../../../lib/portable-name";
import { toShownSchema } from "../../../lib/schema/describe/shown-schema";
import { matchesPattern } from "../../../lib/select-tool";
import { CallArguments } from "../executor/call-arguments";
import { prepareToolset } from "./prepare-toolset";
import { toToolsetCall } from "./toolset-call";

const tool = (name: string, more: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: name,
  type: "function",
  handler: name,
  parameters: { type: "object", properties: { a: { type: "string" }, reason: { type: "string" } }, required: ["a"] },
  implementation: { type: "builtin", handler: "echo" },
  ...more,
});
const ofServer = (server: string, name: string): ToolDefinition =>
  tool(`${server}__${name}`, { implementation: { type: "mcp", server, tool: name } });

const prepare = (input: object, definitions: ToolDefinition[], before?: ReturnType<typeof prepareToolset>) =>
  prepareToolset(
    before?.toolset ?? { ...toolsetInputSchema.parse({ name: "set", ...input }), createdAt: 0, updatedAt: 0 },
    { definitions, aliasNames: aliasesByName, createFinder: () => ({ search: () => [] }), before },
  );

describe("a prepared toolset", () => {
  it("follows the catalog: patterns and servers take in what is added later, and unchanged tools stay the same", () => {
    const first = [ofServer("files", "read"), tool("mail_send"), tool("other")];
    const before = prepare({ patterns: ["mail_*"], servers: ["files"] }, first);
    expect(before.tools.map(({ shown }) => shown.name)).toEqual(["files__read", "mail_send"]);
    const after = prepare({}, [...first, ofServer("files", "write"), tool("mail_read")], before);
    expect(after.tools.map(({ shown }) => shown.name)).toEqual([
      "files__read",
      "files__write",
      "mail_read",
      "mail_send",
    ]);
    expect(after.tools[0]).toBe(before.tools[0]);
  });

  it("leaves a tool out whose name another one has, and says so", () => {
    const { tools, leftOut, problems } = prepare({ tools: ["a", "b"], overrides: [{ tool: "b", name: "a" }] }, [
      tool("a"),
      tool("b"),
    ]);
    expect(tools.map(({ original }) => original.name)).toEqual(["b"]);
    expect(leftOut.map(({ original }) => original.name)).toEqual(["a"]);
    expect(problems).toEqual([expect.objectContaining({ severity: "error", tool: "a" })]);
  });

  it("adds the hints for clients to those of the tool's server, and keeps the catalog's name beside them", () => {
    const listed = tool("a", { _meta: { "acme/kept": 1, "anthropic/alwaysLoad": false } });
    const hints = { "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 200_000 };
    const [renamed] = prepare({ tools: ["a"], overrides: [{ tool: "a", name: "b", meta: hints }] }, [listed]).tools;
    expect(renamed?.shown._meta).toEqual({ "acme/kept": 1, ...hints, "toolroom/tool": "a" });
    const [same] = prepare({ tools: ["a"], overrides: [{ tool: "a", meta: hints }] }, [listed]).tools;
    expect(same?.shown._meta).toEqual({ "acme/kept": 1, ...hints });
    expect(same?.original._meta).toEqual(listed._meta);
  });

  it.each([
    ["a reserved prefix", { "io.modelcontextprotocol/ui": {} }, "overrides.a.meta.io.modelcontextprotocol/ui"],
    ["another reserved prefix", { "dev.mcp.ext/x": 1 }, "overrides.a.meta.dev.mcp.ext/x"],
    ["Toolroom's own key", { "toolroom/tool": "b" }, "overrides.a.meta.toolroom/tool"],
    ["a key that is none", { "a b": 1 }, "overrides.a.meta.a b"],
    [
      "too many keys",
      Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`acme/k${at}`, 1])),
      "overrides.a.meta",
    ],
    ["a long value", { "acme/text": "x".repeat(5_000) }, "overrides.a.meta"],
  ])("refuses hints with %s, and names the place", (_, meta, path) => {
    const { error } = toolsetInputSchema.safeParse({ name: "set", tools: ["a"], overrides: [{ tool: "a", meta }] });
    expect(error?.issues.map((issue) => issue.path.join("."))).toEqual([path]);
  });

  it("warns of tools and arguments that do not exist, and of a required argument that is hidden", () => {
    const rules = [
      { name: "a", mode: "hidden" },
      { name: "zzz", mode: "hidden" },
    ];
    const { problems } = prepare({ tools: ["a", "gone"], overrides: [{ tool: "a", arguments: rules }] }, [tool("a")]);
    expect(problems.map(({ path, severity }) => [path, severity])).toEqual([
      ["tools[1]", "warning"],
      ["overrides.a.arguments.a", "warning"],
      ["overrides.a.arguments.zzz", "warning"],
    ]);
  });

  it("warns of servers and patterns that select nothing, and of changes to tools that are not selected", () => {
    const selection = {
      servers: ["files", "gone"],
      patterns: ["m?il", "{a,b}__*", "*__read"],
      overrides: [{ tool: "mail.2" }],
    };
    const { problems } = prepare(selection, [ofServer("files", "read"), tool("mail"), tool("mail.2")]);
    expect(problems.map(({ path, severity }) => [path, severity])).toEqual([
      ["servers[1]", "warning"],
      ["patterns[1]", "warning"],
      ["overrides.mail.2", "warning"],
    ]);
  });

  it("leaves a tool's own argument `reason` alone", () => {
    const [prepared] = prepare({ tools: ["a"], askReason: true }, [tool("a")]).tools;
    if (prepared === undefined) throw new Error("The toolset has the tool");
    expect(prepared.shown.parameters).toBe(prepared.original.parameters);
    const { args, options } = toToolsetCall("set", prepared, CallArguments.parse('{"a":"x","reason":"mine"}'));
    expect([args.text, options]).toEqual(['{"a":"x","reason":"mine"}', { toolset: "set" }]);
  });
});

it("a schema for clients has no trace of hidden arguments, in its branches and dependencies neither", () => {
  const schema = {
    type: "object",
    properties: { key: { const: "secret" }, to: {}, cc: {} },
    required: ["key", "to"],
    dependentRequired: { key: ["to"], to: ["key", "cc"] },
    anyOf: [{ required: ["key"] }, { properties: { key: {} }, required: ["cc"] }],
  };
  const shown = toShownSchema(schema, [{ name: "key", mode: "fixed", value: "secret" }], false);
  expect(shown).toEqual({
    type: "object",
    properties: { to: {}, cc: {} },
    required: ["to"],
    dependentRequired: { to: ["cc"] },
    anyOf: [{ required: [] }, { properties: {}, required: ["cc"] }],
  });
  expect(JSON.stringify(shown)).not.toContain("key");
});

it("a pattern takes `*` and `?`, and everything else literally", () => {
  const names = ["files__read", "files__read_all", "files_.read", "mail"];
  const matched = (pattern: string) => names.filter((name) => matchesPattern(pattern, name));
  expect(matched("files__*")).toEqual(["files__read", "files__read_all"]);
  expect(matched("*read")).toEqual(["files__read", "files_.read"]);
  expect(matched("files_?read")).toEqual(["files__read", "files_.read"]);
  expect(matched("files_.read")).toEqual(["files_.read"]);
  expect(matched("mai")).toEqual([]);
  expect(matched("*")).toEqual(names);
  expect(matchesPattern(`${"*a".repeat(60)}b`, "a".repeat(128))).toBe(false);
});
