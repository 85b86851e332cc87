import type { HandlerCatalog } from "@/lib/contract/catalog-tool";
import type { JsonSchema } from "@/lib/contract/json";
import type { ImplementationType, ToolDefinition } from "@/lib/contract/tool-definition";
import { formatNode } from "@/lib/json-diff/format-node";
import { parseJsonNode } from "@/lib/json-diff/json-node";
import { readDefinition, setRaw, setValue, valueAt } from "./definition-text";

/** The types that a user can create. The contract has the same list beside its schemas, which would bring zod into the page. */
export const TEMPLATE_TYPES = ["mock", "builtin", "internal"] as const satisfies readonly ImplementationType[];
export type TemplateType = (typeof TEMPLATE_TYPES)[number];

export const TEMPLATE_TEXT: Record<TemplateType, { label: string; text: string }> = {
  mock: {
    label: "Mock",
    text: "Returns what you write here, also by arguments. Use it to try a tool with a model before you build it.",
  },
  builtin: { label: "Builtin", text: "Runs a function that ships with Toolroom, such as the calculator." },
  internal: { label: "Internal", text: "Calls a service of this installation or a handler from your own module." },
};

function implementation(type: TemplateType, handlers: HandlerCatalog): Record<string, unknown> {
  if (type === "mock") return { type, mock_response: { ok: true } };
  return { type, handler: handlers[type][0] ?? "" };
}

const BLANK_PARAMETERS: JsonSchema = {
  type: "object",
  properties: { query: { type: "string", description: "What to look for" } },
  required: ["query"],
};

/** The arguments that a handler reads; null where it does not say. */
function handlerParameters(handlers: HandlerCatalog, type: TemplateType, handler: unknown): JsonSchema | null {
  if (type === "mock") return null;
  return handlers.parameters[type].find(({ name }) => name === handler)?.parameters ?? null;
}

/**
 * The definition with the schema of the handler that it names.
 * @returns `replaced` where the schema was neither a template's nor a handler's
 */
export function withHandlerParameters(
  text: string,
  type: TemplateType,
  handlers: HandlerCatalog,
): { text: string; replaced: boolean } {
  const read = readDefinition(text);
  const handler = read.ok ? valueAt(read.value, ["implementation", "handler"]) : undefined;
  const parameters = handlerParameters(handlers, type, handler);
  if (!read.ok || parameters === null) return { text, replaced: false };
  const known = [
    BLANK_PARAMETERS,
    ...[...handlers.parameters.builtin, ...handlers.parameters.internal].map((each) => each.parameters),
  ];
  const before = JSON.stringify(read.value.parameters);
  if (before === JSON.stringify(parameters)) return { text, replaced: false };
  return {
    text: setRaw(text, ["parameters"], JSON.stringify(parameters, null, 2)),
    replaced: before !== undefined && known.every((each) => JSON.stringify(each) !== before),
  };
}

/** A definition to begin with. Name and description are left for the user: no default would be right. */
export function templateDefinition(type: TemplateType, handlers: HandlerCatalog): string {
  const runs = implementation(type, handlers);
  const definition = {
    name: "",
    description: "",
    type: "function",
    handler: typeof runs.handler === "string" && runs.handler !== "" ? runs.handler : type,
    parameters: handlerParameters(handlers, type, runs.handler) ?? BLANK_PARAMETERS,
    implementation: runs,
  };
  return JSON.stringify(definition, null, 2);
}

/** Changes what runs, and adds what that needs; what the other type needed stays, so the way back loses nothing. */
export function switchType(text: string, type: TemplateType, handlers: HandlerCatalog): string {
  const read = readDefinition(text);
  if (!read.ok) return text;
  const before = valueAt(read.value, ["implementation"]);
  const needed = implementation(type, handlers);
  if (typeof before !== "object" || before === null || Array.isArray(before)) {
    return setValue(text, ["implementation"], needed);
  }
  let next = setValue(text, ["implementation", "type"], type);
  for (const [key, value] of Object.entries(needed)) {
    const known = key === "handler" && type !== "mock" ? handlers[type] : null;
    const held = valueAt(before, [key]);
    const usable = known === null ? held !== undefined : known.some((name) => name === held);
    if (key !== "type" && !usable) next = setValue(next, ["implementation", key], value);
  }
  return next;
}

export function isTemplateType(value: unknown): value is TemplateType {
  return TEMPLATE_TYPES.some((type) => type === value);
}

/** The text of a duplicate: the definition with another name. */
export function duplicateText(text: string, name: string): string {
  return setValue(text, ["name"], `${name}_copy`);
}

/** A longer answer would make the editor slow; the user cuts one out of the execution instead. */
const MAX_MOCK_CHARS = 200_000;
const MAX_MOCK_HEIGHT = 500;
const MAX_NAME_CHARS = 128;

/** The recorded call for a mock. */
export interface RecordedCall {
  /** JSON text; null for a result that was not stored whole. */
  resultText: string | null;
  argumentsText: string;
  /** The error of a failed call; null otherwise. */
  error: string | null;
}

/**
 * A mock of a call: for its arguments it returns what was recorded, a failure too; for others the result, as far as there
 * is one.
 */
export function mockOfCall(definition: ToolDefinition, { resultText, argumentsText, error }: RecordedCall): string {
  const text = mockOfText(definition, error === null ? resultText : null);
  const args = error === null ? null : parseJsonNode(argumentsText);
  if (error === null || args === null || argumentsText.length > MAX_MOCK_CHARS) return text;
  const rule = setRaw(JSON.stringify({ when: { equals: null }, error }, null, 2), ["when", "equals"], formatNode(args));
  return setRaw(text, ["implementation", "mock_responses"], `[\n  ${rule.replaceAll("\n", "\n  ")}\n]`);
}

/**
 * A mock that looks to models like the tool, for when its server is not there.
 * @param answerText JSON text of an answer that the tool once gave; null where it has not been called
 */
export function mockOfText(definition: ToolDefinition, answerText: string | null): string {
  const { implementation, ...described } = definition;
  const tool = implementation.type === "mcp" ? implementation.tool : definition.name;
  const name = tool.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, MAX_NAME_CHARS - "_mock".length);
  const copy = {
    ...described,
    name: `${name}_mock`,
    handler: "mock",
    implementation: { type: "mock", mock_response: null },
  };
  return setRaw(JSON.stringify(copy, null, 2), ["implementation", "mock_response"], answerOr(answerText));
}

function answerOr(answerText: string | null): string {
  const node = answerText === null || answerText.length > MAX_MOCK_CHARS ? null : parseJsonNode(answerText);
  if (node !== null && node.height <= MAX_MOCK_HEIGHT) return formatNode(node);
  return JSON.stringify({ content: [{ type: "text", text: "" }] }, null, 2);
}
