import {
  type ExecutionEnvelope,
  type FailureEnvelope,
  type Fault,
  type FiredLimit,
  isPlainObject,
  type ToolDefinition,
} from "../../lib/contract";
import { describeFaults, requiredParameters } from "./argument-faults";
import { type ExecutionLimits, spokenDuration, timeoutOf } from "./execution-limits";
import { ExecutionRecorder } from "./execution-recorder";
import { describeThrown } from "./failures";
import { measureJson } from "./measure-json";
import type { ArgumentValidator, Clock, ExecutionJournal, ExecutionObserver, Logger, ValidationOutcome } from "./ports";
import { awaitRun, type Implementations, isThenable, type RunOutcome, runImplementation } from "./run-implementation";
import { type ExecuteOptions, RunningCall } from "./running-call";
import type { ToolRegistry } from "./tool-registry";

export type { ExecuteOptions } from "./running-call";

export interface ToolExecutorPorts {
  registry: Pick<ToolRegistry, "get" | "getExecutor">;
  validator: ArgumentValidator;
  implementations: Implementations;
  limits: ExecutionLimits;
  logger: Logger;
  clock: Clock;
  newId: () => string;
  /** Absent where no logbook is kept: tests, benches, embedding. */
  journal?: ExecutionJournal | undefined;
  observer?: ExecutionObserver | undefined;
}

/** How a call ended, before it is written down. */
export type Verdict =
  | { success: true; result: unknown; resultText: string }
  | ({ success: false; status: FailureEnvelope["status"] } & Pick<
      FailureEnvelope,
      "error" | "error_kind" | "faults" | "required_parameters" | "limit"
    > & { stack?: string | undefined });

/**
 * Runs every tool call of the product: browser, agent, gateway, replay, background. Looks the tool up, validates the
 * arguments, has the start recorded, runs, has the end recorded, answers.
 */
export class ToolExecutor {
  readonly #ports: ToolExecutorPorts;
  readonly #recorder: ExecutionRecorder;

  constructor(ports: ToolExecutorPorts) {
    this.#ports = ports;
    this.#recorder = new ExecutionRecorder(ports);
  }

  /**
   * Never rejects: every failure is an envelope, with `error` fit for people and models.
   * @param args the arguments as given; they reach the tool unchanged. Absent means `{}`
   */
  async execute(name: string, args?: unknown, options: ExecuteOptions = {}): Promise<ExecutionEnvelope> {
    const { clock, newId, observer } = this.#ports;
    const call = new RunningCall(options.executionId ?? newId(), name, options, clock, observer ?? null);
    try {
      return await this.#perform(call, args === undefined ? {} : args);
    } catch (error) {
      return this.#recorder.unexpected(call, args, error);
    }
  }

  async #perform(call: RunningCall, args: unknown): Promise<ExecutionEnvelope> {
    const definition = this.#ports.registry.get(call.toolName);
    if (definition === undefined) {
      call.markValidated();
      this.#ports.logger.warn({ tool: call.toolName, source: call.source }, `Tool '${call.toolName}' not found`);
      return this.#recorder.neverRan(call, null, args, failure("not_found", `Tool '${call.toolName}' not found`));
    }
    const refused = this.#admit(call, definition, args);
    const refusal = isThenable(refused) ? await refused : refused;
    call.markValidated();
    if (refusal !== null) return this.#recorder.neverRan(call, definition, args, refusal);

    const { timeoutMs, setBy } = timeoutOf(definition, call.options.timeoutMs, this.#ports.limits);
    call.timeoutMs = timeoutMs;
    const cancelled = call.options.signal?.aborted ? aborted(call.options.signal.reason) : null;
    if (cancelled) return this.#recorder.neverRan(call, definition, args, cancelled);

    const unrecorded = this.#recorder.begin(call, definition, args);
    if (unrecorded !== null) {
      const refusedRecord = await unrecorded;
      if (refusedRecord !== null) return refusedRecord;
    }
    call.markStarted();
    const running = this.#start(call, definition, args as Record<string, unknown>);
    const outcome = isThenable(running)
      ? await awaitRun(running, {
          timeoutMs,
          callerSignal: call.options.signal,
          abort: (reason) => call.abort(reason),
        })
      : running;
    call.markRan();
    return this.#recorder.finish(call, definition, args, this.#judge(outcome, definition, timeoutMs, setBy));
  }

  /** Null when the call may run; otherwise why not. */
  #admit(call: RunningCall, definition: ToolDefinition, args: unknown): Verdict | null | Promise<Verdict | null> {
    const { limits, validator } = this.#ports;
    const size = measureJson(args, { maxBytes: limits.maxArgumentBytes, maxDepth: limits.maxArgumentDepth });
    if (size.depth > limits.maxArgumentDepth) {
      return tooLarge(`nested deeper than ${limits.maxArgumentDepth} levels`, limits.maxArgumentDepth, "levels");
    }
    if (size.bytes > limits.maxArgumentBytes) {
      return tooLarge(`larger than ${limits.maxArgumentBytes} bytes`, limits.maxArgumentBytes, "bytes");
    }
    if (!isPlainObject(args)) {
      const message = `must be an object, got ${args === null ? "null" : Array.isArray(args) ? "array" : typeof args}`;
      return invalid([{ pointer: "", path: "", keyword: "type", message }], definition);
    }
    if (call.options.skipValidation === true) return null;
    const outcome = validator.validate(definition.parameters, args, size);
    return isThenable(outcome) ? outcome.then((o) => toRefusal(o, definition)) : toRefusal(outcome, definition);
  }

  #start(
    call: RunningCall,
    definition: ToolDefinition,
    args: Record<string, unknown>,
  ): RunOutcome | PromiseLike<unknown> {
    try {
      const run = this.#ports.registry.getExecutor(call.toolName);
      const value = runImplementation(definition, run, this.#ports.implementations, args, call);
      return isThenable(value) ? value : { ended: "value", value };
    } catch (thrown) {
      return { ended: "thrown", thrown };
    }
  }

  #judge(outcome: RunOutcome, definition: ToolDefinition, timeoutMs: number, setBy: FiredLimit["setBy"]): Verdict {
    switch (outcome.ended) {
      case "value":
        return this.#recorder.succeed(definition, outcome.value);
      case "timeout":
        return {
          ...failure("timeout", `Tool '${definition.name}' timed out after ${spokenDuration(timeoutMs)}`),
          status: "timed_out",
          limit: { name: "timeout", value: timeoutMs, unit: "ms", setBy },
        };
      case "aborted":
        return aborted(outcome.reason);
      case "thrown": {
        const { kind, message } = describeThrown(outcome.thrown);
        const stack = outcome.thrown instanceof Error ? outcome.thrown.stack : undefined;
        return { ...failure(kind, message), stack };
      }
    }
  }
}

type FailureVerdict = Extract<Verdict, { success: false }>;

function failure(kind: FailureEnvelope["error_kind"], error: string): FailureVerdict {
  return { success: false, status: "failed", error, error_kind: kind };
}

function aborted(reason: unknown): FailureVerdict {
  const name = typeof reason === "object" && reason !== null ? (reason as { name?: unknown }).name : undefined;
  if (name === "ServerStopping") {
    return {
      ...failure("interrupted", "Interrupted: the server stopped while this call was running"),
      status: "interrupted",
    };
  }
  return { ...failure("cancelled", "Cancelled by the caller"), status: "cancelled" };
}

function invalid(faults: Fault[], definition: ToolDefinition): FailureVerdict {
  return {
    ...failure("invalid_arguments", describeFaults(faults)),
    faults,
    required_parameters: requiredParameters(definition.parameters),
  };
}

function tooLarge(how: string, value: number, unit: FiredLimit["unit"]): FailureVerdict {
  const message = `are ${how}, which is the limit`;
  const faults: Fault[] = [{ pointer: "", path: "", keyword: "limit", message }];
  return {
    ...failure("invalid_arguments", describeFaults(faults)),
    faults,
    limit: { name: "argument_size", value, unit, setBy: "global" },
  };
}

function toRefusal(outcome: ValidationOutcome, definition: ToolDefinition): Verdict | null {
  if (outcome.valid) return null;
  const refusal = invalid(outcome.faults, definition);
  return "limit" in outcome ? { ...refusal, limit: outcome.limit } : refusal;
}
