import { describe, expect, it } from "vitest";
import { CHECKED_CLIENTS, type CheckedClient } from "../../contract/client-verdict";
import { INTERACTION_KINDS, type InteractionKind } from "../../contract/interaction-kinds";
import type { JsonSchema } from "../../contract/json";
import { reductionFor } from "../providers/provider-schema";
import type { SchemaProvider } from "../providers/schema-dialects";
import { findAskSupport, findSupport, type ServedAccess } from "./check-access";
import { checkClient, MAX_FINDINGS } from "./check-client";
import type { CheckedSkill } from "./check-skill";
import type { CheckedTool } from "./check-tool";
import { toClientForm } from "./client-form";
import { CLIENT_FEATURES, type ClientRule } from "./client-profile";
import { CLIENT_PROFILES, LISTED_PROFILES } from "./client-profiles";
import { CLIENT_SOURCES } from "./client-sources";
import { findProgram } from "./find-program";
import { createFixture, createTool, SERVER, SKILL } from "./rule-fixtures.test-support";

const ACCESS: ServedAccess = {
  serverName: SERVER,
  isPublic: true,
  needsAccount: false,
  offersSignIn: true,
  offers: [],
};
const check = (
  client: CheckedClient,
  tools: readonly CheckedTool[],
  access: Partial<ServedAccess> = {},
  skills: readonly CheckedSkill[] = [],
) => checkClient(client, { tools, skills, access: { ...ACCESS, ...access } });

const EACH_RULE: [client: CheckedClient, check: string, rule: ClientRule][] = LISTED_PROFILES.flatMap(
  ([client, { rules }]) => rules.map((rule): [CheckedClient, string, ClientRule] => [client, rule.check, rule]),
);

describe("rules of clients", () => {
  it.each(EACH_RULE)("find what breaks them and nothing else: %s/%s", (client, name, rule) => {
    const { failing, repaired, skills } = createFixture(rule, CLIENT_PROFILES[client]);
    const [broken, whole] = skills === undefined ? [[], []] : [[skills.failing], [skills.repaired]];
    const id = `${client}/${name}`;
    const { url, readOn } = CLIENT_SOURCES[rule.source];
    const found = check(client, failing, {}, broken).findings.filter((each) => each.rule === id);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ client, severity: rule.severity, source: { url, readOn } });
    expect(found[0]?.message).toContain(CLIENT_PROFILES[client].label.split(",")[0]);
    expect(check(client, repaired, {}, whole).findings.map((each) => each.rule)).not.toContain(id);
  });

  it("are named once for each client, and have a source with the day on which it was read", () => {
    for (const [, { rules }] of LISTED_PROFILES) {
      expect(new Set(rules.map((rule) => rule.check)).size).toBe(rules.length);
    }
    for (const { url, readOn } of Object.values(CLIENT_SOURCES)) {
      expect(url).toMatch(/^https:\/\/\S+$/);
      expect(new Date(readOn).toISOString().slice(0, 10)).toBe(readOn);
    }
    const used = LISTED_PROFILES.flatMap(([, { rules, features }]) =>
      [...rules, ...features].map(({ source }) => source),
    );
    expect(new Set(used)).toEqual(new Set(Object.keys(CLIENT_SOURCES)));
  });

  it("say of each feature one thing, or nothing where it is not documented", () => {
    for (const [client, profile] of LISTED_PROFILES) {
      const named = profile.features.flatMap(({ yes = [], limited = [], no = [] }) => [...yes, ...limited, ...no]);
      expect(new Set(named).size, client).toBe(named.length);
    }
    expect(CLIENT_FEATURES.map((feature) => findSupport(CLIENT_PROFILES.zed, feature)?.support)).toContain("no");
    expect(findSupport(CLIENT_PROFILES.lmstudio, "apps")).toBeNull();
  });
});

describe("requests of tools", () => {
  const KINDS = { form: "forms", url: "urls", sampling: "sampling" } as const;
  const CASES = LISTED_PROFILES.filter(([, { kind }]) => kind !== "api").flatMap(([client, profile]) =>
    INTERACTION_KINDS.map((kind) => [client, kind, findAskSupport(profile, kind)] as const),
  );
  const asking = (kind: InteractionKind, usersAnswer = false) =>
    createTool({ asks: [{ kind, server: "files", usersAnswer }] });
  const find = (client: CheckedClient, tool: CheckedTool) =>
    check(client, [tool]).findings.filter(({ rule }) => Object.values(KINDS).some((id) => rule === `${client}/${id}`));

  it.each(CASES)(
    "are named where a client does not answer them, and not once Toolroom does: %s, %s",
    (client, kind, known) => {
      const found = find(client, asking(kind));
      if (known?.support === "yes") return expect(found).toEqual([]);
      expect(found).toMatchObject([
        {
          rule: `${client}/${KINDS[kind]}`,
          severity: known?.support === "no" ? "dropped" : "warns",
          source: known === null ? null : CLIENT_SOURCES[known.source],
          remedy: { kind: "server", text: expect.stringContaining("settings of files") },
        },
      ]);
      expect(found[0]?.message).toContain("`read_file`");
      // A server whose settings have a model answer sampling asks no client.
      const repaired = kind === "sampling" ? createTool() : asking(kind, true);
      expect(find(client, repaired).map(({ severity, remedy }) => [severity, remedy])).toEqual(
        kind === "sampling" ? [] : [["warns", null]],
      );
    },
  );

  it("make a list one that works with changes for a client that answers none of them", () => {
    expect(check("zed", [createTool(), asking("form")])).toMatchObject({ verdict: "works_with_changes", refused: 0 });
    expect(check("vscode", [asking("sampling"), asking("form")])).toMatchObject({ verdict: "works", findings: [] });
  });

  it("of pages count as unanswered where a client answers no forms, and stay open where nothing is documented", () => {
    expect(findAskSupport(CLIENT_PROFILES.gemini, "url")).toEqual(findSupport(CLIENT_PROFILES.gemini, "elicitation"));
    expect(findAskSupport(CLIENT_PROFILES.windsurf, "url")).toBeNull();
    expect(findAskSupport(CLIENT_PROFILES.vscode, "url")).toBeNull();
  });
});

describe("a verdict", () => {
  it("is that it works where nothing breaks a rule", () => {
    expect(check("claude-code", [createTool()])).toMatchObject({ verdict: "works", refused: 0, findings: [] });
  });

  it("counts the refused tools, and does not stand in the way of the others", () => {
    const verdict = check("cursor", [createTool(), createTool({ name: "n".repeat(60) })]);
    expect(verdict).toMatchObject({ verdict: "works_with_changes", tools: 2, refused: 1 });
    expect(check("cursor", [createTool({ name: "n".repeat(60) })]).verdict).toBe("does_not_work");
  });

  it("is that it does not work where one tool makes the whole list unusable", () => {
    const choice: JsonSchema = { type: "object", properties: {}, oneOf: [{ required: ["a"] }] };
    const verdict = check("anthropic-api", [createTool(), createTool({ name: "choose", schema: choice })]);
    expect(verdict).toMatchObject({ verdict: "does_not_work", tools: 2, refused: 2 });
    expect(verdict.findings[0]).toMatchObject({ tool: "choose", where: "/inputSchema/oneOf", severity: "refused" });
  });

  it("leaves out the rest of a list that is too long, where the client takes a part of it", () => {
    const tools = Array.from({ length: 130 }, (_, index) => createTool({ name: `tool_${index}` }));
    expect(check("windsurf", tools)).toMatchObject({ verdict: "works_with_changes", tools: 130, refused: 30 });
    expect(check("vscode", tools)).toMatchObject({ verdict: "does_not_work", tools: 130, refused: 130 });
  });

  it("is open where a client documents no rules for definitions, or the list is empty", () => {
    expect(check("chatgpt", [createTool()])).toMatchObject({
      verdict: "cannot_tell",
      reason: "ChatGPT documents no rules for the names and schemas of tools.",
    });
    expect(check("cursor", [])).toMatchObject({ verdict: "cannot_tell", reason: "The list has no tools." });
  });

  it("names the cloud's need of a public address, and stdio where the client has it", () => {
    expect(check("chatgpt", [createTool()], { isPublic: false })).toMatchObject({ verdict: "does_not_work" });
    const [finding] = check("claude-desktop", [createTool()], { isPublic: false }).findings;
    expect(finding).toMatchObject({ rule: "claude-desktop/address", severity: "warns", remedy: { kind: "connect" } });
    expect(check("cursor", [createTool()], { isPublic: false }).findings).toEqual([]);
  });

  it("names the sign-in that a client lacks", () => {
    const withAccounts = { needsAccount: true, offersSignIn: false };
    expect(check("chatgpt", [createTool()], withAccounts).findings[0]).toMatchObject({
      rule: "chatgpt/sign-in",
      severity: "refused",
    });
    expect(check("lmstudio", [createTool()], { needsAccount: true }).findings[0]).toMatchObject({
      rule: "lmstudio/sign-in",
      severity: "warns",
    });
    expect(check("codex", [createTool()], withAccounts).findings).toEqual([]);
  });

  it("names Apps, resources and prompts that a client does not show", () => {
    const tools = [createTool({ hasApp: true })];
    expect(check("cursor", tools).findings).toEqual([]);
    expect(check("zed", tools, { offers: ["resources", "prompts"] }).findings.map(({ rule }) => rule)).toEqual([
      "zed/resources",
      "zed/apps",
    ]);
  });

  it.each([
    ["codex", "dropped", "Codex loads no skills of servers: 2 skills are served."],
    ["chatgpt", "warns", "ChatGPT loads skills of servers in part: 2 skills are served."],
    ["zed", "warns", "Zed documents no support for skills of servers: 2 skills are served."],
  ] as const)("says whether a client loads the skills of its address: %s", (client, severity, message) => {
    const found = check(client, [createTool()], {}, [SKILL, { ...SKILL, name: "other" }]).findings;
    expect(found).toMatchObject([{ rule: `${client}/skills`, severity, message, tool: null }]);
    expect(check(client, [createTool()]).findings).toEqual([]);
    expect(check("openai-api", [createTool()], {}, [SKILL]).findings).toEqual([]);
  });

  it("takes a hint in the list into account that raises the limit of results", () => {
    const key = "anthropic/maxResultSizeChars";
    const find = (longestResult: number, meta: Record<string, unknown>) =>
      check("claude-code", [createTool({ longestResult, meta })]).findings.map(({ rule }) => rule);
    expect(find(80_000, {})).toEqual(["claude-code/result-length"]);
    expect(find(80_000, { [key]: 100_000 })).toEqual([]);
    expect(find(120_000, { [key]: 100_000 })).toEqual(["claude-code/result-length"]);
    expect(find(600_000, { [key]: 10_000_000 })).toEqual(["claude-code/result-length"]);
    expect(find(80_000, { [key]: "100000" })).toEqual(["claude-code/result-length"]);
  });

  it("lists the strongest findings first, and counts those beyond its limit", () => {
    const long = Array.from({ length: MAX_FINDINGS + 5 }, (_, index) =>
      createTool({ name: `${index}`.padEnd(60, "n") }),
    );
    const verdict = check("cursor", long);
    expect(verdict.findings).toHaveLength(MAX_FINDINGS);
    expect(verdict.findingCount).toBe(MAX_FINDINGS + 5);
  });
});

describe("a schema", () => {
  const APIS: [CheckedClient, SchemaProvider][] = [
    ["anthropic-api", "anthropic"],
    ["openai-api", "openai"],
    ["gemini-api", "gemini"],
    ["ollama-api", "ollama"],
  ];
  const AWKWARD: JsonSchema = {
    type: "object",
    properties: {
      "$top of list": { type: "number", exclusiveMinimum: 0 },
      owner: { $ref: "#/$defs/user" },
      tags: { type: "array", uniqueItems: true },
      kind: { const: "file" },
    },
    oneOf: [{ required: ["owner"] }, { required: ["tags"] }],
    $defs: { user: { type: "string", pattern: "^[a-z]+$" } },
  };

  it.each(APIS)("in the form of Toolroom's own requests breaks no rule: %s", (client, provider) => {
    expect(check(client, [createTool({ schema: AWKWARD })]).findings).not.toEqual([]);
    const { schema } = reductionFor(provider, AWKWARD);
    expect(check(client, [createTool({ schema })]).findings).toEqual([]);
  });

  it("in the form of ?for= breaks no rule that speaks of its keywords, for any client", () => {
    for (const client of CHECKED_CLIENTS) {
      const schema = toClientForm(client, AWKWARD);
      const rules = check(client, [createTool({ schema })]).findings.map(({ rule }) => rule.split("/")[1]);
      expect(
        rules.filter((rule) => rule !== "property-names" && rule !== "strict"),
        client,
      ).toEqual([]);
    }
  });

  it("that is hostile ends the check with its budget, and the verdict stays open", () => {
    let deep: JsonSchema = { type: "string" };
    for (let level = 0; level < 30_000; level += 1) deep = { anyOf: [deep, deep] };
    const properties = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`p${index}`, {}]));
    for (const schema of [deep, { type: "object", properties }, { type: "object", properties: { deep } }]) {
      const verdict = check("vscode", [createTool({ schema })]);
      expect(verdict).toMatchObject({
        verdict: "cannot_tell",
        reason: "The schema of read_file is too large to check.",
      });
      expect(check("openai-strict", [createTool({ schema })]).verdict).not.toBe("works");
    }
  });

  it("with names of any kind is read as data", () => {
    const properties = JSON.parse('{"__proto__": {"type": "string"}, "constructor": {"type": "array"}}');
    const { findings } = check("openai-api", [createTool({ schema: { type: "object", properties } })]);
    expect(findings.map(({ rule, where }) => [rule, where])).toEqual([
      ["openai-api/array-items", "/inputSchema/properties/constructor"],
    ]);
  });
});

describe("a program", () => {
  it.each([
    ["claude-code", "claude-code"],
    ["claude-ai", "claude-desktop"],
    ["openai-mcp", "chatgpt"],
    ["Visual Studio Code", "vscode"],
    ["gemini-cli-mcp-client", "gemini"],
    ["codex-mcp-client", "codex"],
    ["mcpc", null],
    ["", null],
  ])("is known by the name that it sends: %s", (name, program) => {
    expect(findProgram(name)).toBe(program);
  });

  it("of the list is one with a profile", () => {
    expect(Object.keys(CLIENT_PROFILES).sort()).toEqual([...CHECKED_CLIENTS].sort());
  });
});
