import type { ToolSelection } from "../../../lib/contract/run";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { getServerName } from "../../../lib/contract/tool-definition";
import { toChatTool } from "../../../lib/tool-formats/to-chat-tool";
import type { FunctionInvocationOptions, InvokingChatOptions } from "../../engine/agent/function-invoking-client";
import type { RunRequest } from "../../engine/agent/run-ports";
import type { LiveRun } from "./live-run";
import { withResultReader } from "./result-reader";
import type { RunServicePorts } from "./run-ports";
import { invokeToolset, toolsetOf } from "./toolset-tools";

type SharedPort =
  | ("tools" | "toolset" | "executor" | "requiresApproval" | "newExecutionId")
  | ("executions" | "dataOf");
type Limit = "maxIterations" | "maxModelChars" | "maxCallsPerResponse";

interface InvocationPorts extends Pick<RunServicePorts, SharedPort | Limit> {
  provided: RunRequest["provided"];
  recorded: FunctionInvocationOptions["recorded"];
}

/** How a run's calls are executed, and the options of its model requests. */
export function invocationOf(
  run: LiveRun,
  ports: InvocationPorts,
): { invocation: FunctionInvocationOptions; options: Omit<InvokingChatOptions, "invocation" | "signal"> } {
  const { settings } = run;
  const provided = ports.provided && new Map(ports.provided.map((tool) => [tool.definition.name, tool]));
  const prepared = provided === undefined ? toolsetOf(settings, ports) : null;
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
          ...(tool === undefined ? {} : { provided: tool }),
          maskedValues: run.mask.values,
          durable: run.answer,
          onApproved: (edited) => {
            run.markApproved(options.callId ?? "");
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
      ...(settings.instructions.trim() === "" ? {} : { instructions: settings.instructions }),
      ...(settings.toolChoice === undefined ? {} : { toolChoice: settings.toolChoice }),
      ...(settings.maxOutputTokens === undefined ? {} : { maxOutputTokens: settings.maxOutputTokens }),
      ...(settings.temperature === undefined ? {} : { temperature: settings.temperature }),
      ...(settings.storeConversation === undefined ? {} : { storeConversation: settings.storeConversation }),
    },
  };
}

/** In the catalogue's order; names that are gone are passed over. */
function selectTools(tools: readonly ToolDefinition[], selection: ToolSelection): readonly ToolDefinition[] {
  if (selection.mode === "all") return tools;
  if (selection.mode === "none") return [];
  if (selection.mode === "toolset") return [];
  const names = new Set(selection.tools);
  const servers = new Set(selection.servers);
  return tools.filter((tool) => names.has(tool.name) || servers.has(getServerName(tool) ?? ""));
}
