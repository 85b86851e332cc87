import type { JsonValue } from "@/lib/contract/json";
import { isPlainObject } from "@/lib/contract/json";
import type { Problem } from "@/lib/contract/problem";
import type { RunSettings, ToolSelection } from "@/lib/contract/run";

export type ToolChoiceSetting = NonNullable<RunSettings["toolChoice"]>;

/** Settings as they are edited: numbers and JSON as the text that was typed. */
export interface SettingsDraft extends Record<NumberField, string> {
  provider: string;
  model: string;
  instructions: string;
  tools: ToolSelection;
  toolChoice: ToolChoiceSetting;
  customArgsText: string;
  storeConversation: boolean;
  runTextCalls: boolean;
}

type NumberField = "maxIterations" | "maxFunctionCalls" | "maxConsecutiveErrors" | "maxOutputTokens" | "temperature";

interface NumberRule {
  field: NumberField;
  label: string;
  hint: string;
  min: number;
  max: number;
  whole: boolean;
}

/** The limits of the contract (`runSettingsSchema`), in the form's words. Empty means the default. */
export const NUMBER_RULES: readonly NumberRule[] = [
  { field: "maxIterations", label: "Max iterations", hint: "Model calls per turn", min: 1, max: 200, whole: true },
  { field: "maxFunctionCalls", label: "Max tool calls", hint: "Per turn", min: 1, max: 10_000, whole: true },
  {
    field: "maxConsecutiveErrors",
    label: "Max failures in a row",
    hint: "Failed tool calls before the turn ends",
    min: 0,
    max: 100,
    whole: true,
  },
  { field: "maxOutputTokens", label: "Max output tokens", hint: "Per response", min: 1, max: 1_000_000, whole: true },
  {
    field: "temperature",
    label: "Temperature",
    hint: "Omitted for models that reject it",
    min: 0,
    max: 2,
    whole: false,
  },
];

export const DEFAULT_DRAFT: SettingsDraft = {
  provider: "",
  model: "",
  instructions: "",
  tools: { mode: "all" },
  toolChoice: "auto",
  maxIterations: "",
  maxFunctionCalls: "",
  maxConsecutiveErrors: "",
  maxOutputTokens: "",
  temperature: "",
  customArgsText: "",
  storeConversation: false,
  runTextCalls: false,
};

export function toDraft(settings: RunSettings): SettingsDraft {
  const text = (value: number | undefined): string => (value === undefined ? "" : String(value));
  return {
    provider: settings.provider,
    model: settings.model,
    instructions: settings.instructions,
    tools: settings.tools,
    toolChoice: settings.toolChoice ?? "auto",
    maxIterations: text(settings.maxIterations),
    maxFunctionCalls: text(settings.maxFunctionCalls),
    maxConsecutiveErrors: text(settings.maxConsecutiveErrors),
    maxOutputTokens: text(settings.maxOutputTokens),
    temperature: text(settings.temperature),
    customArgsText: settings.customArgs === undefined ? "" : JSON.stringify(settings.customArgs, null, 2),
    storeConversation: settings.storeConversation ?? false,
    runTextCalls: settings.runTextCalls ?? false,
  };
}

/** Returns the settings to send, and the problems that prevent sending. */
export function readSettings(draft: SettingsDraft): { settings: RunSettings; problems: Problem[] } {
  const problems: Problem[] = [];
  const settings: RunSettings = {
    provider: draft.provider,
    model: draft.model.trim(),
    instructions: draft.instructions,
    tools: draft.tools,
  };
  if (draft.provider === "" || draft.model.trim() === "") {
    problems.push({ path: "model", message: "Choose a model" });
  }
  for (const rule of NUMBER_RULES) {
    const value = readNumber(draft[rule.field], rule);
    if (value === null) problems.push({ path: rule.field, message: numberProblem(rule) });
    else if (value !== undefined) settings[rule.field] = value;
  }
  if (draft.toolChoice !== "auto") settings.toolChoice = draft.toolChoice;
  if (draft.storeConversation) settings.storeConversation = true;
  if (draft.runTextCalls) settings.runTextCalls = true;
  const customArgs = readCustomArgs(draft.customArgsText);
  if (typeof customArgs === "string") problems.push({ path: "customArgs", message: customArgs });
  else if (customArgs !== null) settings.customArgs = customArgs;
  return { settings, problems };
}

/** Undefined for the default, null for a text that is not such a number. */
function readNumber(text: string, { min, max, whole }: NumberRule): number | null | undefined {
  if (text.trim() === "") return undefined;
  const value = Number(text);
  if (!Number.isFinite(value) || value < min || value > max || (whole && !Number.isInteger(value))) return null;
  return value;
}

function numberProblem({ label, min, max, whole }: NumberRule): string {
  return `${label} must be ${whole ? "an integer" : "a number"} from ${min} to ${max}, or empty for the default`;
}

/** Null for none, a sentence for an invalid text. */
function readCustomArgs(text: string): Record<string, JsonValue> | string | null {
  if (text.trim() === "") return null;
  try {
    const value: unknown = JSON.parse(text);
    if (!isPlainObject(value)) return 'Custom arguments must be a JSON object, such as { "user": "ada" }';
    return value as Record<string, JsonValue>;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `Custom arguments are not valid JSON: ${why}`;
  }
}
