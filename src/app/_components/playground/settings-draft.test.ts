import { describe, expect, it } from "vitest";
import { buildModelOptions } from "@/app/_components/models/picker/model-options";
import type { ModelChoice } from "@/lib/contract/model";
import { runSettingsSchema } from "@/lib/contract/run";
import { toChoices, withParams } from "./playground-params";
import { DEFAULT_DRAFT, NUMBER_RULES, readSettings, toDraft } from "./settings-draft";
import { countChosen, groupTools, isChosen, withGroup, withTool } from "./tool-selection";

const DRAFT = { ...DEFAULT_DRAFT, provider: "demo", model: "rules" };
const NO_PARAMS = { run: null, provider: null, model: null, toolset: null, tools: null, servers: null, set: null };

describe("settings of the playground", () => {
  it("sends nothing that was not set, and what was set as the contract takes it", () => {
    expect(readSettings(DRAFT)).toEqual({
      settings: { provider: "demo", model: "rules", instructions: "", tools: { mode: "all" } },
      problems: [],
    });
    const full = {
      ...DRAFT,
      maxIterations: "12",
      temperature: "0.5",
      toolChoice: "required" as const,
      customArgsText: '{"user":"ada"}',
      storeConversation: true,
    };
    const { settings, problems } = readSettings(full);
    expect(problems).toEqual([]);
    expect(runSettingsSchema.parse(settings)).toEqual(settings);
    expect(toDraft(settings)).toEqual({ ...full, customArgsText: '{\n  "user": "ada"\n}' });
  });

  it("names the field that is wrong and what it must be, at the contract's own bounds", () => {
    for (const { field, min, max, label } of NUMBER_RULES) {
      for (const good of [min, max]) {
        const { settings, problems } = readSettings({ ...DRAFT, [field]: String(good) });
        expect(problems).toEqual([]);
        expect(runSettingsSchema.safeParse(settings).success).toBe(true);
      }
      for (const bad of [min - 1, max + 1]) {
        const found = readSettings({ ...DRAFT, [field]: String(bad) }).problems;
        expect(found).toMatchObject([{ path: field }]);
        expect(found[0]?.message).toContain(label);
        expect(runSettingsSchema.safeParse({ ...readSettings(DRAFT).settings, [field]: bad }).success).toBe(false);
      }
    }
    expect(readSettings({ ...DRAFT, maxIterations: "1.5" }).problems).toHaveLength(1);
    expect(readSettings({ ...DRAFT, customArgsText: "[1]" }).problems[0]?.message).toContain("JSON object");
    expect(readSettings({ ...DRAFT, customArgsText: "{" }).problems[0]?.message).toContain("not valid JSON");
    expect(readSettings({ ...DRAFT, model: " " }).problems[0]?.message).toBe("Choose a model");
  });

  it("reads what the address says before what the last run had, and writes only what is short", () => {
    expect(withParams(DRAFT, NO_PARAMS)).toEqual(DRAFT);
    expect(withParams(DRAFT, { ...NO_PARAMS, tools: ["echo"] }).tools).toEqual({
      mode: "some",
      tools: ["echo"],
      servers: [],
    });
    const set = { mode: "toolset", toolset: "support" } as const;
    expect(withParams(DRAFT, { ...NO_PARAMS, set: "support" }).tools).toEqual(set);
    expect(toChoices({ ...DRAFT, tools: set })).toMatchObject({ set: "support", toolset: null, tools: null });
    expect(withParams(DRAFT, { ...NO_PARAMS, toolset: "none", provider: "x", model: "y" })).toMatchObject({
      provider: "x",
      model: "y",
      tools: { mode: "none" },
    });
    const long = Array.from({ length: 200 }, (_, at) => `a_tool_with_a_name_${at}`);
    expect(toChoices({ ...DRAFT, tools: { mode: "some", tools: long, servers: [] } }).tools).toBeNull();
    expect(toChoices({ ...DRAFT, tools: { mode: "some", tools: ["echo"], servers: [] } })).toMatchObject({
      toolset: "some",
      tools: ["echo"],
    });
  });
});

describe("choosing tools", () => {
  const tools = [
    { name: "echo", server: null },
    { name: "files__read", server: "files" },
    { name: "files__write", server: "files" },
  ];
  const none = { mode: "some" as const, tools: [], servers: [] };

  it("takes a server whole, and leaves its others by name when one is taken out", () => {
    const group = groupTools(tools).find(({ server }) => server === "files");
    if (!group) throw new Error("no group");
    const whole = withGroup(none, group, true);
    expect(whole).toEqual({ mode: "some", tools: [], servers: ["files"] });
    expect(countChosen(whole, { all: 3, tools })).toBe(2);
    const less = withTool(whole, { name: "files__write", server: "files" }, false, tools);
    expect(less).toEqual({ mode: "some", tools: ["files__read"], servers: [] });
    expect(withGroup(less, group, false)).toEqual(none);
  });

  it("names the team's own tools one by one, since there is no server to name", () => {
    const [own] = groupTools(tools);
    if (!own) throw new Error("no group");
    expect(own.server).toBeNull();
    const chosen = withGroup(none, own, true);
    expect(chosen.tools).toEqual(["echo"]);
    expect(isChosen(chosen, { name: "files__read", server: "files" })).toBe(false);
    expect([
      countChosen({ mode: "all" }, { all: 3, tools: undefined }),
      countChosen(none, { all: 3, tools: undefined }),
    ]).toEqual([3, null]);
  });
});

describe("buildModelOptions", () => {
  const choice = (provider: string, model: string, kind: ModelChoice["kind"]): ModelChoice => ({
    provider,
    model,
    kind,
    maxTools: null,
  });
  const choices = [choice("openai", "gpt-a", "openai"), choice("demo", "rules", "demo")];
  const sources = [
    { provider: "openai", demo: false, models: ["gpt-a", "gpt-b"] },
    { provider: "demo", demo: true, models: ["rules"] },
  ];

  it("offers configured models first, then the vendor's, each once", () => {
    expect(buildModelOptions(choices, sources, "").map(({ provider, model }) => `${provider}/${model}`)).toEqual([
      "openai/gpt-a",
      "openai/gpt-b",
      "demo/rules",
    ]);
  });

  it("offers a typed model name that is not listed, for providers that accept one", () => {
    const found = buildModelOptions(choices, sources, "gpt-new");
    expect(found).toMatchObject([{ provider: "openai", model: "gpt-new", free: true }]);
    expect(buildModelOptions(choices, sources, "gpt-b").filter(({ free }) => free)).toEqual([]);
  });
});
