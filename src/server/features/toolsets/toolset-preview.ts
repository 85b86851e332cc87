import { getServerName, PROVIDERS, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { toSentDescription } from "../../../lib/contract/tool-facts";
import type {
  TokenCost,
  ToolsetPreview,
  ToolsetProblem,
  ToolsetServed,
  ToolsetTool,
} from "../../../lib/contract/toolset";
import { estimateTokens } from "../../../lib/estimate-tokens";
import { argumentNames } from "../../../lib/schema/describe/shown-schema";
import { toChatTool } from "../../../lib/to-chat-tool";
import type { ToWireFormat } from "../../engine/agent/chat-ports";
import type { ArgumentValidator, ExecutionLimits } from "../../engine/ports";
import { type ListedTool, listTool } from "../../engine/registry/list-tool";
import { TimeSlice } from "../../engine/time-slice";
import { checkArgumentValues } from "../../engine/toolsets/check-values";
import type { PreparedTool, PreparedToolset } from "../../engine/toolsets/prepare-toolset";

export interface PreviewPorts {
  validator: ArgumentValidator;
  limits: ExecutionLimits;
  wireFormat: ToWireFormat;
  /** The list that a client without limits gets at the address of a toolset. */
  listServed: (prepared: PreparedToolset) => readonly ServedTool[];
}

interface ServedTool {
  definition: ToolDefinition;
  listed: ListedTool;
}

const FORMATS = [...PROVIDERS, "mcp"] as const;
type Sizes = Record<(typeof FORMATS)[number], number>;
const NO_SIZES: Sizes = { openai: 0, anthropic: 0, gemini: 0, ollama: 0, mcp: 0 };

/** Sizes of definitions that no toolset changes, which are the same objects in every preview. */
const knownSizes = new WeakMap<ToolDefinition, Sizes>();

export async function describePreview(
  prepared: PreparedToolset,
  ports: PreviewPorts,
  faults: readonly ToolsetProblem[],
): Promise<ToolsetPreview> {
  const { toolset, tools, pinned, leftOut, problems } = prepared;
  const sizes = await measureTools(prepared, ports);
  const served = ports.listServed(prepared).map(describeServed);
  const listedSizes = new Map(served.map(({ name, entryText }) => [name, entryText.length]));
  return {
    tools: [...leftOut, ...tools].map((tool) => ({
      ...describeShown(tool.shown, listedSizes.get(tool.shown.name) ?? sizes.get(tool)?.mcp ?? 0),
      tool: tool.original.name,
      title: tool.shown.title ?? null,
      server: getServerName(tool.original),
      originalArguments: argumentNames(tool.original.parameters),
      pinned: toolset.discovery ? pinned.has(tool) : null,
      leftOut: leftOut.includes(tool),
    })),
    served,
    problems: [...faults, ...problems, ...(await findValueProblems(prepared, ports)), ...findOverlaps(tools)],
    cost: sumCosts(prepared, sizes, ports),
  };
}

/** Finds values of arguments that the current tools refuse. */
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

/** A definition in the form for clients. */
function describeShown(
  shown: ToolDefinition,
  size: number,
): Pick<ToolsetTool, "name" | "description" | "arguments" | "tokens"> {
  return {
    name: shown.name,
    description: toSentDescription(shown),
    arguments: argumentNames(shown.parameters),
    tokens: estimateTokens(size),
  };
}

function describeServed({ definition, listed }: ServedTool): ToolsetServed {
  const entryText = JSON.stringify(listed);
  return {
    name: listed.name,
    description: typeof listed.description === "string" ? listed.description : "",
    arguments: argumentNames(definition.parameters),
    tokens: estimateTokens(entryText.length),
    entryText,
  };
}

async function measureTools(
  { tools, leftOut }: PreparedToolset,
  { wireFormat }: PreviewPorts,
): Promise<Map<PreparedTool, Sizes>> {
  const sizes = new Map<PreparedTool, Sizes>();
  const slice = new TimeSlice();
  for (const tool of [...tools, ...leftOut]) {
    sizes.set(tool, measureSizes(tool, wireFormat));
    await slice.pause();
  }
  return sizes;
}

function sumCosts(
  prepared: PreparedToolset,
  sizes: ReadonlyMap<PreparedTool, Sizes>,
  ports: PreviewPorts,
): TokenCost[] {
  const { toolset } = prepared;
  const sent = sumSizes(prepared, sizes, ports);
  const whole = { ...prepared, toolset: { ...toolset, discovery: false } };
  const all = toolset.discovery ? sumSizes(whole, sizes, ports) : sent;
  return FORMATS.map((format) => ({
    format,
    tokens: estimateTokens(sent[format]),
    allTokens: estimateTokens(all[format]),
  }));
}

/** The characters of the served list, and of a provider's form of it. */
function sumSizes(
  prepared: PreparedToolset,
  sizes: ReadonlyMap<PreparedTool, Sizes>,
  { listServed, wireFormat }: PreviewPorts,
): Sizes {
  const known = new Map(prepared.tools.map((tool) => [tool.shown, sizes.get(tool)]));
  const total: Sizes = { ...NO_SIZES };
  for (const { definition, listed } of listServed(prepared)) {
    const each = known.get(definition) ?? measure(definition, wireFormat);
    addSizes(total, { ...each, mcp: JSON.stringify(listed).length });
  }
  return total;
}

function addSizes(total: Sizes, sizes: Sizes): void {
  for (const format of FORMATS) total[format] += sizes[format];
}

function measureSizes({ original, shown, override, takesReason }: PreparedTool, wireFormat: ToWireFormat): Sizes {
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

/** The share of the words of two descriptions that occur in both. */
const ALIKE = 0.8;
/** Shorter descriptions are similar by chance. */
const MIN_WORDS = 4;
/** Every two descriptions are compared: more would hold other work up. */
const MAX_COMPARED = 400;

/** Warnings of tools that a model can hardly tell apart: names that differ in spelling only, and descriptions alike. */
function findOverlaps(tools: readonly PreparedTool[]): ToolsetProblem[] {
  const described = tools.slice(0, MAX_COMPARED).map((tool) => ({
    tool,
    plainName: tool.shown.name.toLowerCase().replace(/[^a-z0-9]/g, ""),
    words: new Set(tool.shown.description.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []),
  }));
  return described.flatMap(({ tool, plainName, words }, index) => {
    const others = described.slice(0, index);
    const warning = (path: string, message: string): ToolsetProblem => ({
      severity: "warning",
      tool: tool.original.name,
      path: `overrides.${tool.original.name}.${path}`,
      message,
    });
    const sameName = others.find((other) => other.plainName === plainName);
    const alike = others.find((other) => areAlike(words, other.words));
    return [
      ...(sameName === undefined ? [] : [warning("name", `is nearly the name of '${sameName.tool.shown.name}'`)]),
      ...(alike === undefined ? [] : [warning("description", `is nearly that of '${alike.tool.shown.name}'`)]),
    ];
  });
}

function areAlike(left: ReadonlySet<string>, right: ReadonlySet<string>): boolean {
  const [few, many] = left.size < right.size ? [left, right] : [right, left];
  if (few.size < MIN_WORDS || few.size < many.size * ALIKE) return false;
  let shared = 0;
  for (const word of few) if (many.has(word)) shared += 1;
  return shared >= ALIKE * (few.size + many.size - shared);
}
