import { toChatTool } from "../../../lib/tool-formats/to-chat-tool";
import type { FunctionInvocationOptions } from "../../engine/agent/function-invoking-client";
import { createReadResult, describeReadResult, READ_RESULT, toReadable } from "../../engine/lens/read-result";
import type { LiveRun } from "./live-run";
import type { RunServicePorts } from "./run-ports";

type Ports = Pick<RunServicePorts, "tools" | "executor" | "executions" | "dataOf">;

/**
 * Adds `read_result`: it reads results of the run's own calls, those of the log that a rerun took over included. Not where a
 * tool has its name.
 */
export function withResultReader(
  invocation: FunctionInvocationOptions,
  run: LiveRun,
  { tools, executor, executions, dataOf }: Ports,
): FunctionInvocationOptions {
  const { find, findFor, allowedTools = [], requiresApproval } = invocation;
  if (dataOf === undefined || find(READ_RESULT) !== undefined || tools.get(READ_RESULT) !== undefined)
    return invocation;
  const reader = createReadResult(async (id) => {
    const isOwn = run.events.some((event) => event.type === "tool_finished" && event.executionId === id);
    return isOwn ? toReadable(await executions.get(id), dataOf) : null;
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
    findFor: findFor && ((call) => (call.name === READ_RESULT ? definition : findFor(call))),
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
