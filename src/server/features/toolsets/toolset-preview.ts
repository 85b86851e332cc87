import { toSentDescription } from "../../../lib/contract/deprecation";
import { getServerName, PROVIDERS, type ToolDefinition } from "../../../lib/contract/tool-definition";
import type { TokenCost, ToolsetPreview, ToolsetProblem, ToolsetTool } from "../../../lib/contract/toolset";
import { estimateTokens } from "../../../lib/estimate-tokens";
import { argumentNames } from "../../../lib/schema/describe/shown-schema";
import { toChatTool } from "../../../lib/tool-formats/to-chat-tool";
import type { ToWireFormat } from "../../engine/agent/chat-ports";
import type { ArgumentValidator, ExecutionLimits } from "../../engine/ports";
import { listTool } from "../../engine/registry/list-tool";
import { TimeSlice } from "../../engine/time-slice";
import { checkArgumentValues } from "../../engine/toolsets/check-values";
import { discoveryTools } from "../../engine/toolsets/discovery-tools";
import type { PreparedTool, PreparedToolset } from "../../engine/toolsets/prepare-toolset";
import { findOverlaps } from "./find-overlaps";

export interface PreviewPorts {
  validator: ArgumentValidator;
  limits: ExecutionLimits;
  wireFormat: ToWireFormat;
}

const FORMATS = [...PROVIDERS, "mcp"] as const;
type Sizes = Record<(typeof FORMATS)[number], number>;

/** Sizes of definitions that no toolset changes, which are the same objects in every preview. */
const knownSizes = new WeakMap<ToolDefinition, Sizes>();

export async function describePreview(
  prepared: PreparedToolset,
  ports: PreviewPorts,
  faults: readonly ToolsetProblem[],
): Promise<ToolsetPreview> {
  const { toolset, tools, pinned, leftOut, problems } = prepared;
  return {
    tools: [...leftOut, ...tools].map((tool) => ({
      ...describeTool(tool),
      pinned: toolset.discovery ? pinned.has(tool) : null,
      leftOut: leftOut.includes(tool),
    })),
    problems: [...faults, ...problems, ...(await findValueProblems(prepared, ports)), ...findOverlaps(tools)],
    cost: await costOf(prepared, ports),
  };
}

/** Values of arguments that the tools refuse as they are now. */
export async function findValueProblems(
  { tools, leftOut }: PreparedToolset,
  ports: PreviewPorts,
): Promise<ToolsetProblem[]> {
  const problems: ToolsetProblem[] = [];
  const slice = new TimeSlice();
  for (const tool of [...tools, ...leftOut]) {
    if (tool.override === null) continue;
    problems.push(...(await checkArgumentValues(tool, ports)));
    await slice.pause();
  }
  return problems;
}

function describeTool({ original, shown }: PreparedTool): Omit<ToolsetTool, "pinned" | "leftOut"> {
  const own = new Set(argumentNames(original.parameters));
  return {
    name: shown.name,
    tool: original.name,
    title: shown.title ?? null,
    description: toSentDescription(shown),
    server: getServerName(original),
    argumentCount: argumentNames(shown.parameters).filter((name) => own.has(name)).length,
    originalArguments: [...own],
  };
}

async function costOf(prepared: PreparedToolset, { wireFormat }: PreviewPorts): Promise<TokenCost[]> {
  const { tools, toolset, pinned } = prepared;
  const all: Sizes = { openai: 0, anthropic: 0, gemini: 0, ollama: 0, mcp: 0 };
  const sent = { ...all };
  const slice = new TimeSlice();
  for (const tool of tools) {
    const sizes = sizesOf(tool, wireFormat);
    addSizes(all, sizes);
    if (!toolset.discovery || pinned.has(tool)) addSizes(sent, sizes);
    await slice.pause();
  }
  if (toolset.discovery) {
    for (const tool of Object.values(discoveryTools(prepared))) addSizes(sent, measure(tool, wireFormat));
  }
  return FORMATS.map((format) => ({
    format,
    tokens: estimateTokens(sent[format]),
    allTokens: estimateTokens(all[format]),
  }));
}

function addSizes(total: Sizes, sizes: Sizes): void {
  for (const format of FORMATS) total[format] += sizes[format];
}

function sizesOf({ original, shown, override, takesReason }: PreparedTool, wireFormat: ToWireFormat): Sizes {
  const isUnchanged = override === null && !takesReason && shown.name === original.name;
  const known = isUnchanged ? knownSizes.get(original) : undefined;
  if (known !== undefined) return known;
  const sizes = measure(shown, wireFormat);
  if (isUnchanged) knownSizes.set(original, sizes);
  return sizes;
}

function measure(shown: ToolDefinition, wireFormat: ToWireFormat): Sizes {
  const offered = toChatTool(shown);
  const charsIn = (value: unknown): number => JSON.stringify(value).length;
  const sizes = { mcp: charsIn(listTool(shown, shown.name)) } as Sizes;
  for (const provider of PROVIDERS) sizes[provider] = charsIn(wireFormat(provider, offered).tool);
  return sizes;
}
