import { checkDraft, readInput, writeInput } from "@/app/_kit/form/draft-input";
import {
  custom,
  type DraftOf,
  defineForm,
  flag,
  lines,
  number,
  select,
  splitLines,
  text,
} from "@/app/_kit/form/fields";
import { isPlainObject } from "@/lib/contract/json";
import type { ArgumentRule, ToolOverride, ToolsetInput } from "@/lib/contract/toolset";

export interface RuleDraft {
  mode: ArgumentRule["mode"];
  /** JSON text; other text counts as a string. */
  valueText: string;
}
type RuleDrafts = Readonly<Record<string, RuleDraft>>;

interface LensDraft {
  mode: "" | "none" | "own";
  expression: string;
}

const OVERRIDE_APPROVALS = { "": "As the tool has it", always: "Always", never: "Never (admins only)" };

/** How the set shows and runs one tool. */
export const OVERRIDE_FORM = defineForm<Omit<ToolOverride, "tool">>()({
  name: text("Name", { mono: true }),
  title: text("Shown title"),
  description: text("Shown description", { rows: 2 }),
  approval: select("Approval", "", OVERRIDE_APPROVALS, { optional: true }),
  timeoutMs: number("Timeout in ms", {
    mono: false,
    hint: "Empty: as the tool has it.",
    check: (typed) =>
      /^([1-9]\d{0,7})?$/.test(typed) ? [] : ["must be a whole number of milliseconds, up to 86400000"],
  }),
  lens: custom<LensDraft>(
    "Lens",
    { mode: "", expression: "" },
    {
      read: (stored) => ({ mode: stored === null ? "none" : "own", expression: String(stored ?? "") }),
      write: ({ mode, expression }) => (mode === "own" ? expression.trim() : mode === "none" ? null : undefined),
      check: ({ mode, expression }) => (mode === "own" && expression.trim() === "" ? ["is required"] : []),
    },
  ),
  meta: text("Hints for clients", {
    rows: 2,
    mono: true,
    placeholder: '{"anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 200000}',
    hint: "JSON that is added to the tool's _meta. Each client reads its own keys.",
    read: (stored) => JSON.stringify(stored, null, 2),
    write: (typed) => (typed.trim() === "" ? undefined : readHints(typed)),
    check: (typed) => (typed.trim() === "" || isPlainObject(readHints(typed)) ? [] : ["must be a JSON object"]),
  }),
  // By argument.
  arguments: custom<RuleDrafts>("Arguments", {}, { read: readRules, write: writeRules }),
});
export type OverrideDraft = DraftOf<typeof OVERRIDE_FORM.fields>;
export const NO_OVERRIDE: OverrideDraft = readInput(OVERRIDE_FORM);

function readRules(stored: unknown): RuleDrafts {
  const rules = stored as ArgumentRule[];
  return Object.fromEntries(
    rules.map((rule) => [
      rule.name,
      { mode: rule.mode, valueText: rule.mode === "hidden" ? "" : JSON.stringify(rule.value) },
    ]),
  );
}

function writeRules(rules: RuleDrafts): ArgumentRule[] {
  return Object.entries(rules).map(([name, { mode, valueText }]) =>
    mode === "hidden" ? { name, mode } : { name, mode, value: readValue(valueText) },
  );
}

function readHints(typed: string): unknown {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

function readValue(typed: string): Exclude<ArgumentRule, { mode: "hidden" }>["value"] {
  try {
    return JSON.parse(typed);
  } catch {
    return typed;
  }
}

/** Drafts by the tool's name in the catalog. */
export type OverrideDrafts = Readonly<Record<string, OverrideDraft>>;

function readOverrides(stored: unknown): OverrideDrafts {
  const overrides = stored as ToolOverride[];
  return Object.fromEntries(overrides.map((override) => [override.tool, readInput(OVERRIDE_FORM, override)]));
}

/** Leaves out overrides that change nothing. */
function writeOverrides(overrides: OverrideDrafts): ToolOverride[] {
  return Object.entries(overrides).flatMap(([tool, draft]) => {
    const override = { tool, ...writeInput(OVERRIDE_FORM, draft) };
    return Object.keys(override).length === 2 && override.arguments.length === 0 ? [] : override;
  });
}

const checkOverrides = (overrides: OverrideDrafts) =>
  Object.entries(overrides).flatMap(([tool, draft]) =>
    checkDraft(OVERRIDE_FORM, draft).map(({ path, message }) => ({ path: `${tool}.${path}`, message })),
  );

const asTyped = (typed: string): string => typed;

export const TOOLSET_FORM = defineForm<ToolsetInput>()({
  name: text("Name", {
    required: true,
    mono: true,
    placeholder: "support",
    check: (typed) => (typed.trim() === "" ? ["is required"] : []),
  }),
  title: text("Title", { maxLength: 200, hint: "Display name (optional).", write: asTyped }),
  description: text("Instructions", {
    rows: 2,
    maxLength: 20_000,
    write: asTyped,
    hint: "What the tools are for. Clients get it as the server's instructions.",
  }),
  tools: custom<string[]>("Tools by name", []),
  servers: custom<string[]>("Tools by server", []),
  patterns: lines("Patterns", {
    mono: true,
    write: splitLines,
    placeholder: "files__read_*",
    hint: "One per line; * stands for any characters, ? for one. Tools that are added later and match belong to the set.",
  }),
  contents: custom<string[]>("Resources and prompts", []),
  discovery: flag("Discovery", {
    hint: "Clients get search_tools and call_tool instead of every definition, and the tools that are pinned.",
  }),
  pinned: custom<string[]>("Pinned", []),
  askReason: flag("Ask for a reason", {
    hint: "Adds the optional argument “reason” to every tool. It is stored with the execution and not sent to the tool.",
  }),
  overrides: custom<OverrideDrafts>(
    "Changed tools",
    {},
    {
      read: readOverrides,
      write: writeOverrides,
      check: checkOverrides,
    },
  ),
});
export type ToolsetDraft = DraftOf<typeof TOOLSET_FORM.fields>;
