import type { ToolSelection } from "../../../lib/contract/run";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { asReceived } from "../../../lib/rules/received-execution";
import { toChatTool } from "../../../lib/to-chat-tool";
import type { FunctionInvocationOptions, InvokingChatOptions } from "../../engine/agent/function-invoking-client";
import type { ProvidedTool } from "../../engine/agent/run-starter";
import { createReadResult, describeReadResult, READ_RESULT, toReadable } from "../../engine/lens/read-result";
import type { LiveRun } from "./live-run";
import type { RunServicePorts } from "./run-ports";
import { findToolset, invokeToolset } from "./toolset-tools";

type SharedPort =
  | ("tools" | "toolset" | "executor" | "requiresApproval" | "newExecutionId")
  | ("executions" | "toData");
type Limit = "maxIterations" | "maxModelChars" | "maxCallsPerResponse";

export interface InvocationPorts extends Pick<RunServicePorts, SharedPort | Limit> {
  /** Replaces the catalog: the run sees only these. */
  provided: readonly ProvidedTool[] | undefined;
  recorded: FunctionInvocationOptions["recorded"];
}

/** How a run's calls are executed, and the options of its model requests. */
export function buildInvocation(
  run: LiveRun,
  ports: InvocationPorts,
): { invocation: FunctionInvocationOptions; options: Omit<InvokingChatOptions, "invocation" | "signal"> } {
  const { settings } = run;
  const { instructions, toolChoice, maxOutputTokens, temperature, storeConversation } = settings;
  const provided = ports.provided && new Map(ports.provided.map((tool) => [tool.definition.name, tool]));
  const prepared = provided === undefined ? findToolset(settings, ports) : null;
  const toolset = prepared && invokeToolset(prepared, ports, settings.customArgs);
  const { executor: _executor, ...shared } = toolset?.invocation ?? {};
  const executor = toolset?.invocation.executor ?? ports.executor;
  const definitions = provided
    ? Array.from(provided.values(), ({ definition }) => definition)
    : (toolset?.definitions ?? selectTools(ports.tools.list(), settings.tools));
  const invocation: FunctionInvocationOptions = {
    executor: {
      execute: (name, args, options = {}) => {
        const tool = provided?.get(name);
        return executor.execute(name, args, {
          ...options,
          provided: tool,
          maskedValues: run.mask.values,
          durable: run.answer,
          onWaiting: (expiresAt, ended) => {
            run.markWaiting(options.callId ?? "", name);
            return options.onWaiting?.(expiresAt, ended);
          },
          onApproved: (edited) => {
            run.markApproved(options.callId ?? "", name);
            options.onApproved?.(edited);
          },
        });
      },
    },
    find: (name) => (provided ? provided.get(name)?.definition : ports.tools.get(name)),
    allowedTools: definitions.map(({ name }) => name),
    requiresApproval: provided ? undefined : ports.requiresApproval,
    ...shared,
    customArgs: settings.customArgs,
    approvals: "wait",
    maxModelChars: ports.maxModelChars,
    maxCallsPerResponse: ports.maxCallsPerResponse,
    newExecutionId: ports.newExecutionId,
    maxIterations: settings.maxIterations ?? ports.maxIterations,
    maxFunctionCalls: settings.maxFunctionCalls,
    maxConsecutiveErrors: settings.maxConsecutiveErrors,
    runTextCalls: settings.runTextCalls,
    recorded: ports.recorded && ((call) => ports.recorded?.(run.mask.call(call)) ?? null),
    options: {
      source: run.source === "background" || run.source === "check" ? run.source : "agent",
      actor: run.actor,
      runId: run.id,
      signal: run.calls.signal,
    },
  };
  return {
    invocation: provided ? invocation : withResultReader(invocation, run, ports),
    options: {
      model: settings.model,
      tools: definitions.map(toChatTool),
      instructions: instructions.trim() === "" ? undefined : instructions,
      toolChoice,
      maxOutputTokens,
      temperature,
      storeConversation,
    },
  };
}

/** The offered tools that an example may call: none that may destroy something or requires approval. */
export function listExampleTools(
  tools: ToolSelection,
  ports: Pick<RunServicePorts, "tools" | "toolset" | "requiresApproval">,
): ToolDefinition[] {
  const prepared = tools.mode === "toolset" ? (ports.toolset?.(tools.toolset)?.tools ?? []) : null;
  const offered = prepared ?? selectTools(ports.tools.list(), tools).map((tool) => ({ shown: tool, original: tool }));
  return offered.flatMap(({ shown, original }) =>
    original.annotations?.destructiveHint === true || ports.requiresApproval(original) ? [] : shown,
  );
}

/** The selected tools in the catalog's order; names that no longer exist are left out. */
function selectTools(tools: readonly ToolDefinition[], selection: ToolSelection): readonly ToolDefinition[] {
  if (selection.mode === "all") return tools;
  if (selection.mode === "none") return [];
  if (selection.mode === "toolset") return [];
  const names = new Set(selection.tools);
  const servers = new Set(selection.servers);
  return tools.filter((tool) => names.has(tool.name) || servers.has(getServerName(tool) ?? ""));
}

type Ports = Pick<RunServicePorts, "tools" | "executor" | "executions" | "toData">;

/**
 * Adds `read_result`: it reads results of the run's own calls, those of the log that a rerun took over included. Not where a
 * tool has its name.
 */
function withResultReader(
  invocation: FunctionInvocationOptions,
  run: LiveRun,
  { tools, executor, executions, toData }: Ports,
): FunctionInvocationOptions {
  const { find, findFor, allowedTools = [], requiresApproval } = invocation;
  if (toData === undefined || find(READ_RESULT) !== undefined || tools.get(READ_RESULT) !== undefined)
    return invocation;
  const reader = createReadResult(async (id) => {
    const isOwn = run.events.some((event) => event.type === "tool_finished" && event.executionId === id);
    return isOwn ? toReadable(asReceived(await executions.get(id)), toData) : null;
  });
  const { definition } = reader;
  let offered = false;
  return {
    ...invocation,
    executor: {
      execute: (name, args, options = {}) =>
        name === READ_RESULT
          ? executor.execute(name, args, { ...options, provided: reader, maskedValues: run.mask.values })
          : invocation.executor.execute(name, args, options),
    },
    find: (name) => (name === READ_RESULT ? definition : find(name)),
    findFor: findFor && ((call, args) => (call.name === READ_RESULT ? definition : findFor(call, args))),
    allowedTools: [...allowedTools, READ_RESULT],
    requiresApproval: requiresApproval && ((asked) => asked !== definition && requiresApproval(asked)),
    cutResults: {
      tool: toChatTool(definition),
      describe: describeReadResult,
      isOffered() {
        offered ||= run.events.some((event) => event.type === "tool_finished" && event.result.cut === true);
        return offered;
      },
    },
  };
}
