import type { Problem } from "@/lib/contract/problem";
import type { ArgumentRule, ToolOverride, Toolset, ToolsetInput } from "@/lib/contract/toolset";

export interface RuleDraft {
  mode: ArgumentRule["mode"];
  /** JSON; other text is taken as a string. */
  valueText: string;
}

export interface OverrideDraft extends Record<"name" | "title" | "description" | "timeoutMs" | "expression", string> {
  approval: "" | "always" | "never";
  lens: "" | "none" | "own";
  /** By argument. */
  arguments: Record<string, RuleDraft>;
}

export interface ToolsetDraft extends Pick<ToolsetInput, "name" | "title" | "description" | "discovery" | "askReason"> {
  tools: string[];
  servers: string[];
  pinned: string[];
  contents: string[];
  /** One per line. */
  patternsText: string;
  /** By the tool's name in the catalog. */
  overrides: Record<string, OverrideDraft>;
}

export const NO_OVERRIDE: OverrideDraft = {
  ...{ name: "", title: "", description: "", timeoutMs: "", approval: "", lens: "", expression: "" },
  arguments: {},
};

export function emptyDraft(): ToolsetDraft {
  return {
    ...{ name: "", title: "", description: "", discovery: false, askReason: false },
    ...{ tools: [], servers: [], pinned: [], contents: [], patternsText: "", overrides: {} },
  };
}

export function draftOf(toolset: Toolset): ToolsetDraft {
  const { name, title, description, discovery, askReason, patterns, overrides } = toolset;
  const { tools, servers, pinned, contents } = toolset;
  return {
    ...{ name, title, description, discovery, askReason, tools, servers, pinned, contents },
    patternsText: patterns.join("\n"),
    overrides: Object.fromEntries(overrides.map((override) => [override.tool, overrideDraft(override)])),
  };
}

function overrideDraft({
  name,
  title,
  description,
  timeoutMs,
  approval,
  lens,
  arguments: rules,
}: ToolOverride): OverrideDraft {
  return {
    ...{ name: name ?? "", title: title ?? "", description: description ?? "", approval: approval ?? "" },
    ...{ lens: lens === undefined ? "" : lens === null ? "none" : "own", expression: lens ?? "" },
    timeoutMs: timeoutMs === undefined ? "" : String(timeoutMs),
    arguments: Object.fromEntries(
      rules.map((rule) => [
        rule.name,
        { mode: rule.mode, valueText: rule.mode === "hidden" ? "" : JSON.stringify(rule.value) },
      ]),
    ),
  };
}

export function readDraft(draft: ToolsetDraft): { input: ToolsetInput } | { problems: Problem[] } {
  const { patternsText, overrides, name, ...same } = draft;
  const problems: Problem[] = [];
  if (name.trim() === "") problems.push({ path: "name", message: "is required" });
  for (const [tool, { timeoutMs, lens, expression }] of Object.entries(overrides)) {
    if (lens === "own" && expression.trim() === "")
      problems.push({ path: `overrides.${tool}.lens`, message: "is required" });
    if (timeoutMs !== "" && !/^[1-9]\d{0,7}$/.test(timeoutMs)) {
      problems.push({
        path: `overrides.${tool}.timeoutMs`,
        message: "must be a whole number of milliseconds, up to 86400000",
      });
    }
  }
  return problems.length > 0 ? { problems } : { input: { ...same, name: name.trim(), ...readParts(draft) } };
}

function readParts({ patternsText, overrides }: ToolsetDraft): Pick<ToolsetInput, "patterns" | "overrides"> {
  return {
    patterns: patternsText.split("\n").flatMap((line) => line.trim() || []),
    overrides: Object.entries(overrides).flatMap(([tool, override]) => {
      const { timeoutMs, approval, lens, expression, arguments: rules, name, title, description } = override;
      const read: ToolOverride = {
        tool,
        ...(name.trim() === "" ? {} : { name: name.trim() }),
        ...(title === "" ? {} : { title }),
        ...(description === "" ? {} : { description }),
        ...(approval === "" ? {} : { approval }),
        ...(lens === "own" ? { lens: expression.trim() } : lens === "none" ? { lens: null } : {}),
        ...(timeoutMs === "" ? {} : { timeoutMs: Number(timeoutMs) }),
        arguments: Object.entries(rules).map(([argument, rule]) => readRule(argument, rule)),
      };
      return Object.keys(read).length === 2 && read.arguments.length === 0 ? [] : read;
    }),
  };
}

function readRule(name: string, { mode, valueText }: RuleDraft): ArgumentRule {
  return mode === "hidden" ? { name, mode } : { name, mode, value: readValue(valueText) };
}

function readValue(text: string): Exclude<ArgumentRule, { mode: "hidden" }>["value"] {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
