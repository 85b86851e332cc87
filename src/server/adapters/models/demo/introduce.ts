import type { ChatTool } from "../../../../lib/contract";
import { expressionParameter } from "./expressions";
import { inventedValue, parametersOf } from "./parameters";

const GREETING =
  /^(?:hi|hello|hey|good (?:morning|day|evening)|help|thanks|thank you|who are you|what are you|what can you do|what tools do you have)\b/i;
const MAX_EXAMPLES = 4;
/** Examples are made from the first of many. */
const MAX_LOOKED_AT = 60;
const MAX_REQUEST_CHARS = 120;

export const WHO_I_AM =
  "I am Toolroom's demo model: rules, not a language model. I call tools when a request names or describes one.";

export function isGreeting(request: string): boolean {
  return GREETING.test(request.trim());
}

export function introduction(tools: readonly ChatTool[]): string {
  if (tools.length === 0) {
    return `${WHO_I_AM} This run gives me no tools. Choose some, or another model provider in Settings.`;
  }
  const examples = examplesFor(tools);
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  return `${WHO_I_AM} I was given ${count}. Try:\n\n${examples.map((example) => `- \`${example}\``).join("\n")}`;
}

export function notUnderstood(requests: readonly string[]): string {
  const quoted = requests.map((request) => `“${cut(request)}”`).join(", ");
  return `I found no tool for ${quoted}.`;
}

/** Requests that work, made from the tools: those that need least first. */
function examplesFor(all: readonly ChatTool[]): string[] {
  const tools = all.slice(0, MAX_LOOKED_AT);
  const calculator = tools.find((tool) => expressionParameter(tool) !== null);
  const others = tools.filter((tool) => tool !== calculator).map((tool) => ({ tool, parameters: parametersOf(tool) }));
  const simple = others
    .map(({ tool, parameters }) => ({ tool, required: parameters.filter(({ required }) => required) }))
    .sort((one, other) => one.required.length - other.required.length);
  // One that takes something is worth more than three that take nothing.
  const telling = [...simple.filter(({ required }) => required.length > 0), ...simple].filter(unique);
  const examples = telling.map(({ tool, required }) => {
    const given = required.map((parameter) => {
      const value = inventedValue(parameter, tool.parameters);
      return `${parameter.name}=${typeof value === "string" && /^\S+$/.test(value) ? value : JSON.stringify(value)}`;
    });
    return [tool.name, ...given].join(" ");
  });
  return [
    ...(calculator ? ["what is 12*7"] : []),
    ...examples.filter((text) => !text.includes("`") && text.length < 160),
  ].slice(0, MAX_EXAMPLES);
}

function unique<T>(item: T, at: number, items: readonly T[]): boolean {
  return items.indexOf(item) === at;
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_REQUEST_CHARS ? `${line.slice(0, MAX_REQUEST_CHARS)}…` : line;
}
