import type { ChatTool } from "../../../../lib/contract";
import { sampleValue } from "../../../../lib/json-schema/sample-value";
import { findExpressionParameter } from "./expressions";
import { parametersOf } from "./fill-arguments";

const MAX_EXAMPLES = 4;
const MAX_EXAMPLE_CHARS = 160;
/** Examples are made from the first of many tools. */
const MAX_EXAMPLE_TOOLS = 60;
const MAX_REQUEST_CHARS = 120;

export const WHO_I_AM =
  "I am Toolroom's demo model: rules, not a language model. I call tools when a request names or describes one.";

export function introduce(tools: readonly ChatTool[]): string {
  if (tools.length === 0) {
    return `${WHO_I_AM} This run gives me no tools. Choose some, or another model provider in Settings.`;
  }
  const examples = examplesFor(tools.slice(0, MAX_EXAMPLE_TOOLS)).map((example) => `- \`${example}\``);
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  return `${WHO_I_AM} I was given ${count}. Try:\n\n${examples.join("\n")}`;
}

export function notUnderstood(requests: readonly string[]): string {
  return `I found no tool for ${requests.map((request) => `“${cutRequest(request)}”`).join(", ")}.`;
}

/** Requests that work: tools with few required parameters first, those with none last. */
function examplesFor(tools: readonly ChatTool[]): string[] {
  const calculator = tools.find((tool) => findExpressionParameter(tool) !== null);
  const examples = tools
    .filter((tool) => tool !== calculator)
    .map((tool) => ({ tool, required: parametersOf(tool).filter(({ required }) => required) }))
    .sort((one, other) => (one.required.length || Infinity) - (other.required.length || Infinity))
    .map(({ tool, required }) => {
      const pairs = required.map(({ name, field }) => {
        const value = sampleValue(field.schema, tool.parameters);
        return `${name}=${typeof value === "string" && /^\S+$/.test(value) ? value : JSON.stringify(value)}`;
      });
      return [tool.name, ...pairs].join(" ");
    })
    .filter((example) => !example.includes("`") && example.length < MAX_EXAMPLE_CHARS);
  return [...(calculator ? ["what is 12*7"] : []), ...examples].slice(0, MAX_EXAMPLES);
}

function cutRequest(request: string): string {
  const line = request.replace(/\s+/g, " ").trim();
  return line.length > MAX_REQUEST_CHARS ? `${line.slice(0, MAX_REQUEST_CHARS)}…` : line;
}
