import { isPlainObject } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { toSentDescription } from "../../../lib/contract/tool-facts";
import { stringifyWithDigits } from "../../../lib/json/number-digits";
import { toShownSchema } from "../../../lib/schema/describe/shown-schema";
import { CallArguments } from "../executor/call-arguments";
import { ToolFailure } from "../failures";
import { CALL_TOOL, SEARCH_TOOLS } from "./discovery-names";
import type { PreparedTool, PreparedToolset } from "./prepare-toolset";

const DEFAULT_RESULTS = 10;
const MAX_RESULTS = 50;
const SUGGESTIONS = 3;

const builtIn = (name: string, description: string, parameters: ToolDefinition["parameters"]): ToolDefinition => ({
  name,
  description,
  parameters,
  type: "function",
  handler: name,
  implementation: { type: "function" },
  annotations: name === SEARCH_TOOLS ? { readOnlyHint: true } : {},
});

const SEARCH = builtIn(
  SEARCH_TOOLS,
  `Finds tools by words of their names, descriptions and parameters. Describe what you want to do; call what is found with ${CALL_TOOL}.`,
  {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, description: "What the tool should do, in a few words." },
      limit: { type: "integer", minimum: 1, maximum: MAX_RESULTS, default: DEFAULT_RESULTS },
    },
    required: ["query"],
  },
);
const CALL = builtIn(CALL_TOOL, `Calls a tool that ${SEARCH_TOOLS} found.`, {
  type: "object",
  properties: {
    name: { type: "string", description: `The tool's name, as ${SEARCH_TOOLS} returned it.` },
    arguments: { type: "object", description: "The tool's arguments, as its inputSchema describes them." },
  },
  required: ["name"],
});

const asking = (tool: ToolDefinition): ToolDefinition => ({
  ...tool,
  parameters: toShownSchema(tool.parameters, [], true),
});
const PLAIN = { search: SEARCH, call: CALL };
const ASKING = { search: asking(SEARCH), call: asking(CALL) };

/** The two tools that clients of a toolset with discovery get. */
export function discoveryTools({ toolset }: PreparedToolset): { search: ToolDefinition; call: ToolDefinition } {
  return toolset.askReason ? ASKING : PLAIN;
}

/** The response of a search, as JSON text. */
export function searchResult(
  { tools, search }: PreparedToolset,
  { query, limit }: Record<string, unknown>,
  admits: (tool: PreparedTool) => boolean,
): string {
  const found = search(String(query)).filter(admits);
  const shown = found.slice(0, typeof limit === "number" ? limit : DEFAULT_RESULTS);
  const result = {
    tools: shown.map(({ shown: tool }) => ({
      name: tool.name,
      description: toSentDescription(tool),
      inputSchema: tool.parameters,
    })),
    found: found.length,
  };
  if (found.length > 0) return stringifyWithDigits(result);
  return JSON.stringify({
    ...result,
    hint: `Nothing matches. Try other words: there are ${tools.filter(admits).length} tools`,
  });
}

/** Reads the tool and arguments of `call_tool`, with the arguments as they were sent; null where the call names none. */
export function readToolCall(sent: CallArguments): { name: string; args: CallArguments } | null {
  const { value } = sent;
  if (!isPlainObject(value) || typeof value.name !== "string") return null;
  const args = sent.member("arguments") ?? new CallArguments({});
  // Some models write the arguments as JSON text.
  return { name: value.name, args: (typeof args.value === "string" ? parsed(args.value) : null) ?? args };
}

function parsed(text: string): CallArguments | null {
  try {
    const args = CallArguments.parse(text);
    return isPlainObject(args.value) ? args : null;
  } catch {
    return null;
  }
}

/** @throws ToolFailure that suggests similar names */
export function refuseUnknownTool(
  { search }: PreparedToolset,
  name: string,
  admits: (tool: PreparedTool) => boolean,
): never {
  const near = search(name).filter(admits).slice(0, SUGGESTIONS);
  const names = near.map(({ shown }) => `'${shown.name}'`).join(", ");
  const advice = near.length === 0 ? `find tools with ${SEARCH_TOOLS}` : `did you mean ${names}?`;
  throw new ToolFailure("tool_error", `There is no tool '${name.slice(0, 128)}' here: ${advice}`);
}
