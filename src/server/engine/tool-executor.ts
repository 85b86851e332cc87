import type { ExecutionEnvelope, FailureEnvelope, FiredLimit, ToolDefinition } from "../../lib/contract";
import { describeFaults, requiredParameters } from "./argument-faults";
import { spokenDuration, timeoutOf } from "./execution-limits";
import { ExecutionRecorder } from "./execution-recorder";
import { describeThrown } from "./failures";
import type { ArgumentValidator, Clock, ExecutionJournal, ExecutionLimits, ExecutionObserver, Logger } from "./ports";
import { awaitRun, type Implementations, isThenable, type RunOutcome, runImplementation } from "./run-implementation";
import { type ExecuteOptions, RunningCall } from "./running-call";
import type { ToolRegistry } from "./tool-registry";
import { type Refusal, validateArguments } from "./validate-arguments";
import type { FailureVerdict, Verdict } from "./verdict";

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
    const { validator, limits } = this.#ports;
    const judged = validateArguments(validator, definition.parameters, args, limits, call.options.skipValidation);
    const refusal = judged instanceof Promise ? await judged : judged;
    call.markValidated();
    if (refusal !== null) return this.#recorder.neverRan(call, definition, args, invalid(refusal, definition));

    const { timeoutMs, setBy } = timeoutOf(definition, call.options.timeoutMs, limits);
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

function invalid(refusal: Refusal, definition: ToolDefinition): FailureVerdict {
  return {
    ...failure("invalid_arguments", describeFaults(refusal.faults)),
    ...refusal,
    required_parameters: requiredParameters(definition.parameters),
  };
}
