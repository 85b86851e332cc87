import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { MockCondition, MockDelay, MockImplementation } from "../../../lib/contract/tool-definition-schema";
import { findDifferences } from "../../../lib/testing/find-differences";
import { readPath } from "../../../lib/testing/read-path";
import { ToolFailure } from "../failures";
import type { McpCaller } from "../mcp-ports";
import type { Handlers, ToolContext } from "../ports";
import type { ToolRegistry } from "../registry/tool-registry";
import type { CallLimit } from "./call-limit";

const ERROR = "The mock fails by its error rate";

export interface Implementations {
  builtins: Handlers;
  internals: Handlers;
  /** Absent where no MCP servers are connected. */
  mcp?: McpCaller | undefined;
}

/**
 * Runs a tool by its implementation type; returns its value or a promise of it.
 * @throws ToolFailure for a handler that does not exist, and any error that the tool throws
 */
export function runImplementation(
  definition: ToolDefinition,
  registry: Pick<ToolRegistry, "getExecutor">,
  implementations: Implementations,
  args: Record<string, unknown>,
  context: ToolContext,
): unknown {
  const { implementation } = definition;
  switch (implementation.type) {
    case "mock":
      return runMock(implementation, args, context);
    case "builtin":
      return findHandler(implementations.builtins, implementation.handler, "Builtin")(args, context);
    case "internal":
      return findHandler(implementations.internals, implementation.handler, "Internal")(args, context);
    case "function": {
      const run = registry.getExecutor(definition.name);
      if (run === undefined)
        throw new ToolFailure("handler_not_found", `Function of tool '${definition.name}' not found`);
      return run(args, context);
    }
    case "mcp": {
      const { mcp } = implementations;
      if (mcp === undefined) throw new ToolFailure("unavailable", "MCP servers are not connected here");
      return mcp.call(implementation.server, implementation.tool, args, context);
    }
  }
}

function findHandler(handlers: Handlers, name: string, kind: "Builtin" | "Internal"): Handlers[string] & {} {
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (handler === undefined) throw new ToolFailure("handler_not_found", `${kind} handler '${name}' not found`);
  return handler;
}

/** How the implementation of a tool ended. */
export type ImplementationOutcome =
  | { ended: "value"; value: unknown }
  | { ended: "thrown"; thrown: unknown }
  | { ended: "timeout" }
  | { ended: "aborted"; reason: unknown };

/**
 * Waits for a running tool, its time limit or the caller's cancel, whichever is first. At the limit the tool's signal
 * is aborted, and its later result is discarded.
 */
export function awaitOutcome(
  running: PromiseLike<unknown>,
  waiting: { limit: CallLimit; callerSignal: AbortSignal | undefined; abort: (reason: unknown) => void },
): Promise<ImplementationOutcome> {
  return new Promise((resolve) => {
    const { callerSignal, limit, abort } = waiting;
    const settle = (outcome: ImplementationOutcome): void => {
      limit.stop();
      callerSignal?.removeEventListener("abort", onAbort);
      resolve(outcome);
    };
    const onAbort = (): void => {
      settle({ ended: "aborted", reason: callerSignal?.reason });
      abort(callerSignal?.reason);
    };
    limit.start(() => {
      settle({ ended: "timeout" });
      abort(new DOMException("The timeout was reached", "TimeoutError"));
    });
    callerSignal?.addEventListener("abort", onAbort, { once: true });
    // An abort while the start was recorded fires no event here.
    if (callerSignal?.aborted) onAbort();
    // `Promise.resolve` instead of `running.then`: a tool's own thenable may throw there, or resolve to another one.
    Promise.resolve(running).then(
      (value) => settle({ ended: "value", value }),
      (thrown: unknown) => settle({ ended: "thrown", thrown }),
    );
  });
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** The response of the first rule that the arguments match, else the mock's own. Answers at once where nothing delays it. */
function runMock(
  mock: MockImplementation,
  args: Record<string, unknown>,
  context: Pick<ToolContext, "signal">,
): unknown {
  const { mock_response, mock_responses = [], mock_delay_ms, mock_error_rate = 0 } = mock;
  const rule = mock_responses.find(({ when }) => matches(when, args));
  const delay = rule?.delay_ms ?? mock_delay_ms;
  const answer = (): unknown => {
    if (mock_error_rate > 0 && Math.random() < mock_error_rate) throw new ToolFailure("tool_error", ERROR);
    if (rule === undefined) return mock_response;
    if (rule.error !== undefined) throw new ToolFailure("tool_error", rule.error);
    return rule.response;
  };
  return delay === undefined ? answer() : waitMs(toMs(delay), context.signal).then(answer);
}

function matches(condition: MockCondition, args: Record<string, unknown>): boolean {
  if ("equals" in condition) return findDifferences(condition.equals, args, { most: 1 }).length === 0;
  if ("subset" in condition) {
    return findDifferences(condition.subset, args, { isSubset: true, most: 1 }).length === 0;
  }
  const at = readPath(args, String(condition.path));
  return at.found && findDifferences(condition.value, at.value, { most: 1 }).length === 0;
}

function toMs(delay: MockDelay): number {
  return typeof delay === "number" ? delay : delay.min + Math.random() * (delay.max - delay.min);
}

function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    function end(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
