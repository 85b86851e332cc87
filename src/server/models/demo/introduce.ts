import type { ChatTool } from "../../../lib/contract/chat";
import { sampleValue } from "../../../lib/schema/describe/initial-values";
import { findExpressionParameter } from "./expressions";
import { listParameters } from "./fill-arguments";

const MAX_EXAMPLES = 4;
const MAX_EXAMPLE_CHARS = 160;
/** Examples are made from the first of many tools. */
const MAX_EXAMPLE_TOOLS = 60;
const MAX_REQUEST_CHARS = 120;

export const WHO_I_AM = "This is the demo model: fixed rules, not a language model.";

export function introduce(tools: readonly ChatTool[]): string {
  if (tools.length === 0) return `${WHO_I_AM} This run has no tools: choose some, or another model in Settings.`;
  const examples = listExamples(tools).map((example) => `- \`${example}\``);
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  return `${WHO_I_AM} It can call ${count}. Try:\n\n${examples.join("\n")}`;
}

/** One sentence for a request that the rules do not cover. */
export function declineRequest(request: string, tools: readonly ChatTool[]): string {
  const [example] = listExamples(tools);
  const hint = example === undefined ? "" : `, such as \`${example}\``;
  const asked = `The demo model follows fixed rules and has no tool for “${cutRequest(request)}”`;
  return `${asked}; name one of its tools${hint}, or choose another model.`;
}

export function notUnderstood(requests: readonly string[]): string {
  return `No tool for ${requests.map((request) => `“${cutRequest(request)}”`).join(", ")}.`;
}

/** Requests that work with this model and are plain to any other: tools with few required parameters first, those with none last. */
export function listExamples(given: readonly ChatTool[]): string[] {
  const tools = given.slice(0, MAX_EXAMPLE_TOOLS);
  const calculator = tools.find((tool) => findExpressionParameter(tool) !== null);
  const examples = tools
    .filter((tool) => tool !== calculator)
    .map((tool) => ({ tool, required: listParameters(tool).filter(({ required }) => required) }))
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
