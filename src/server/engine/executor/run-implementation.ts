import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { ToolFailure } from "../failures";
import type { McpCaller } from "../mcp-ports";
import type { Handlers, ToolContext, ToolFunction } from "../ports";
import type { CallLimit } from "./call-limit";
import { runMock } from "./run-mock";

export interface Implementations {
  builtins: Handlers;
  internals: Handlers;
  /** Absent where no MCP servers are connected. */
  mcp?: McpCaller | undefined;
}

/**
 * Runs a tool by its implementation type; gives its value or a promise of it.
 * @throws ToolFailure for a handler that does not exist, and whatever the tool throws
 */
export function runImplementation(
  definition: ToolDefinition,
  run: ToolFunction | undefined,
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
    case "function":
      if (run === undefined)
        throw new ToolFailure("handler_not_found", `Function of tool '${definition.name}' not found`);
      return run(args, context);
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
    // Not `running.then`: a tool's own thenable may throw there, or resolve to another one.
    Promise.resolve(running).then(
      (value) => settle({ ended: "value", value }),
      (thrown: unknown) => settle({ ended: "thrown", thrown }),
    );
  });
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}
