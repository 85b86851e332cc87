import { isPlainObject } from "../../../lib/contract/json";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { REASON } from "../../../lib/schema/describe/shown-schema";
import type { CallArguments } from "../executor/call-arguments";
import { CALL_TOOL, SEARCH_TOOLS } from "./discovery-names";
import { discoveryTools, readToolCall, refuseUnknownTool, searchResult } from "./discovery-tools";
import type { PreparedTool, PreparedToolset } from "./prepare-toolset";
import { readReason, type ToolsetCall, toToolsetCall } from "./toolset-call";

export interface ResolvedToolsetCall extends ToolsetCall {
  /** The definition that the caller sees. */
  definition: ToolDefinition;
  /** Null for a tool of the toolset itself. */
  tool: PreparedTool | null;
  /** The name that the caller knows. */
  calledAs: string;
}

type Admits = (tool: PreparedTool) => boolean;

/** The definitions for clients of a toolset. */
export function shownTools(prepared: PreparedToolset, admits: Admits = () => true): ToolDefinition[] {
  const { toolset, tools, pinned } = prepared;
  const listed = tools.filter((tool) => admits(tool) && (!toolset.discovery || pinned.has(tool)));
  const shown = listed.map((tool) => tool.shown);
  if (!toolset.discovery) return shown;
  const { search, call } = discoveryTools(prepared);
  return [search, call, ...shown];
}

/** Returns the call that runs for a call of a toolset's client; null for an unknown name. */
export function resolveToolsetCall(
  prepared: PreparedToolset,
  name: string,
  sent: CallArguments,
  admits: Admits = () => true,
): ResolvedToolsetCall | null {
  const { toolset } = prepared;
  if (toolset.discovery && name === SEARCH_TOOLS) {
    const { search } = discoveryTools(prepared);
    return provide(prepared, search, sent, (args) => searchResult(prepared, args, admits));
  }
  if (toolset.discovery && name === CALL_TOOL) return resolveInner(prepared, sent, admits);
  return toResolved(prepared, name, sent, admits);
}

function resolveInner(prepared: PreparedToolset, sent: CallArguments, admits: Admits): ResolvedToolsetCall {
  const wanted = readToolCall(sent);
  const reason = isPlainObject(sent.value) ? sent.value[REASON] : undefined;
  const inner = wanted === null ? null : toResolved(prepared, wanted.name, wanted.args, admits, reason);
  if (inner !== null) return inner;
  const { call } = discoveryTools(prepared);
  return provide(prepared, call, sent, ({ name }) => refuseUnknownTool(prepared, String(name), admits));
}

function toResolved(
  { toolset, byName }: PreparedToolset,
  name: string,
  sent: CallArguments,
  admits: Admits,
  reason?: unknown,
): ResolvedToolsetCall | null {
  const tool = byName.get(name);
  if (tool === undefined || !admits(tool)) return null;
  const call = toToolsetCall(toolset.name, tool, sent, reason);
  return { ...call, options: { ...call.options, calledAs: name }, definition: tool.shown, tool, calledAs: name };
}

/** Answers a call by the toolset itself. */
function provide(
  { toolset }: PreparedToolset,
  definition: ToolDefinition,
  sent: CallArguments,
  run: (args: Record<string, unknown>) => string,
): ResolvedToolsetCall {
  const asked = toolset.askReason && isPlainObject(sent.value) ? readReason(sent.value[REASON]) : undefined;
  return {
    name: definition.name,
    args: toolset.askReason ? sent.without(new Set([REASON])) : sent,
    options: {
      toolset: toolset.name,
      ...(asked === undefined ? {} : { reason: asked }),
      provided: { definition, run: async (given) => run(given) },
    },
    definition,
    tool: null,
    calledAs: definition.name,
  };
}
