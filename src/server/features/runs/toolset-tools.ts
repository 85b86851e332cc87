import { isVisibleTo } from "../../../lib/apps/tool-app";
import type { FunctionCallContent } from "../../../lib/contract/chat";
import type { RunSettings } from "../../../lib/contract/run";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { getMarks } from "../../../lib/schema/sensitive/marks";
import { parseArguments } from "../../engine/agent/execution-engine";
import type { FunctionInvocationOptions } from "../../engine/agent/function-invoking-client";
import { CallArguments } from "../../engine/executor/call-arguments";
import { ToolFailure } from "../../engine/failures";
import { CALL_TOOL } from "../../engine/toolsets/discovery-names";
import { discoveryTools } from "../../engine/toolsets/discovery-tools";
import type { PreparedTool, PreparedToolset } from "../../engine/toolsets/prepare-toolset";
import { resolveToolsetCall, shownTools } from "../../engine/toolsets/resolve-call";
import { withoutHiddenArguments } from "../../engine/toolsets/toolset-call";
import { AppError } from "../../platform/shared/app-error";
import type { RunServicePorts } from "./run-ports";

type Ports = Pick<RunServicePorts, "tools" | "executor" | "requiresApproval" | "toolset">;
type Invocation = Required<
  Pick<FunctionInvocationOptions, "executor" | "find" | "findFor" | "allowedTools" | "requiresApproval">
>;

/** The toolset of a run; null for a run without one. @throws AppError for one that was deleted */
export function findToolset({ tools }: RunSettings, ports: Pick<Ports, "toolset">): PreparedToolset | null {
  if (tools.mode !== "toolset") return null;
  const prepared = ports.toolset?.(tools.toolset) ?? null;
  if (prepared === null) throw new AppError("NOT_FOUND", `Toolset '${tools.toolset}' not found: choose other tools`);
  return prepared;
}

/** A model is not offered what only Apps may call. */
const admits = ({ original }: PreparedTool): boolean => isVisibleTo(original, "model");

/** How the calls of a run with a toolset are executed, and the definitions that its model is offered. */
export function invokeToolset(
  prepared: PreparedToolset,
  { tools, executor, requiresApproval }: Ports,
  customArgs: Readonly<Record<string, unknown>> = {},
): { definitions: ToolDefinition[]; invocation: Invocation } {
  const definitions = shownTools(prepared, admits);
  const shown = new Map(definitions.map((definition) => [definition.name, definition]));
  const known = [...prepared.byName].flatMap(([name, tool]) => (admits(tool) ? [name] : []));
  const byShown = new Map(prepared.tools.map((tool) => [tool.shown, tool]));
  const find = (name: string): ToolDefinition | undefined =>
    shown.get(name) ?? prepared.byName.get(name)?.shown ?? tools.get(name);
  return {
    definitions,
    invocation: {
      find,
      findFor: ({ name }, args) => resolveToolsetCall(prepared, name, args, admits)?.definition ?? find(name),
      // A model may call tools that it found by name.
      allowedTools: [...new Set([...shown.keys(), ...known])],
      requiresApproval(definition) {
        const tool = byShown.get(definition);
        if (tool === undefined) return false;
        const approval = tool.override?.approval;
        return requiresApproval(tool.original, approval === undefined ? undefined : approval === "always");
      },
      executor: {
        async execute(name, args, options = {}) {
          const call = resolveToolsetCall(prepared, name, CallArguments.from(args), admits);
          // The executor would wait for a server and run a tool of it that is not in the toolset.
          if (call === null) return executor.execute(name, args, { ...options, provided: refusal(name) });
          const own = name === CALL_TOOL && call.tool !== null ? call.args.withDefaults(customArgs) : call.args;
          const envelope = await executor.execute(call.name, own, { ...options, ...call.options });
          return call.tool === null ? envelope : withoutHiddenArguments(envelope, call.tool);
        },
      },
    },
  };
}

function refusal(name: string) {
  const parameters = { type: "object" };
  const definition: ToolDefinition = {
    name,
    description: "",
    type: "function",
    handler: name,
    parameters,
    implementation: { type: "function" },
  };
  const run = (): never => {
    throw new ToolFailure("not_found", `Tool '${name}' not found`);
  };
  return { definition, run };
}

export interface LoggedTools {
  list: RunServicePorts["tools"]["list"];
  get: RunServicePorts["tools"]["get"];
  /**
   * The MCP or OpenAPI servers that a call may reach.
   * @param args absent while the model writes them: then every server that a call of a tool by its name may reach
   */
  listCallServers(name: string, args?: FunctionCallContent["arguments"]): string[];
}

function listServers(definition: ToolDefinition | undefined): string[] {
  const server = definition === undefined ? null : getServerName(definition);
  return server === null ? [] : [server];
}

/** Tools by the names that a run's log has: what they mark is masked there. */
export function loggedTools(settings: RunSettings, ports: Pick<Ports, "tools" | "toolset">): LoggedTools {
  const { tools } = settings;
  const prepared = tools.mode === "toolset" ? (ports.toolset?.(tools.toolset) ?? null) : null;
  if (prepared === null) return { ...ports.tools, listCallServers: (name) => listServers(ports.tools.get(name)) };
  const marked = prepared.tools.some(({ original }) => getMarks(original).arguments !== null);
  const { call } = discoveryTools(prepared);
  // The tool is known once the arguments are complete.
  const maskedCall: ToolDefinition = marked ? { ...call, sensitive: { arguments: ["/arguments"] } } : call;
  return {
    list: ports.tools.list,
    get: (name) =>
      prepared.toolset.discovery && name === CALL_TOOL
        ? maskedCall
        : (prepared.byName.get(name)?.original ?? ports.tools.get(name)),
    listCallServers(name, args) {
      if (!prepared.toolset.discovery || name !== CALL_TOOL)
        return listServers(prepared.byName.get(name)?.original ?? ports.tools.get(name));
      if (args === undefined) return prepared.tools.flatMap(({ original }) => listServers(original));
      const call = { type: "function_call" as const, callId: "", name, arguments: args };
      return listServers(resolveToolsetCall(prepared, name, parseArguments(call).args, admits)?.tool?.original);
    },
  };
}
