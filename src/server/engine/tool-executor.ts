import type { ExecutionEnvelope, FiredLimit, ToolDefinition } from "../../lib/contract";
import { ApprovalGate } from "./approval-gate";
import { isSameTool } from "./approval-policy";
import type { ApprovalDesk } from "./approval-ports";
import { describeFaults, requiredParameters } from "./argument-faults";
import { CallLimit } from "./call-limit";
import { checkToolResult } from "./check-tool-result";
import { spokenDuration, timeoutOf } from "./execution-limits";
import { ExecutionRecorder } from "./execution-recorder";
import { describeThrown } from "./failures";
import type { ArgumentValidator, Clock, ExecutionJournal, ExecutionLimits, ExecutionObserver, Logger } from "./ports";
import { awaitRun, type Implementations, isThenable, type RunOutcome, runImplementation } from "./run-implementation";
import { type ExecuteOptions, RunningCall } from "./running-call";
import type { ToolRegistry } from "./tool-registry";
import { type Refusal, validateArguments } from "./validate-arguments";
import { aborted, type FailureVerdict, failure, notApproved, type Verdict } from "./verdict";

export type { ExecuteOptions } from "./running-call";

/** Twice what the longest tool's name can have. */
const MAX_NAME_CHARS = 256;

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
  /**
   * Asked for a name that the registry does not have: may make it known, for a server that is still connecting. What it
   * gives says why there is no such tool, or is null where there is nothing to say.
   */
  explainMissing?: ((name: string, signal: AbortSignal) => Promise<string | null> | null) | undefined;
  /** Absent where nobody can be asked: then a tool whose definition demands approval is refused. */
  approvals?: ApprovalDesk | undefined;
}

/**
 * Runs every tool call of the product: browser, agent, gateway, replay, background. Looks the tool up, validates the
 * arguments, asks a person where the tool demands it, has the start recorded, runs, has the end recorded, answers.
 */
export class ToolExecutor {
  readonly #ports: ToolExecutorPorts;
  readonly #recorder: ExecutionRecorder;
  readonly #gate: ApprovalGate;

  constructor(ports: ToolExecutorPorts) {
    this.#ports = ports;
    this.#recorder = new ExecutionRecorder(ports);
    this.#gate = new ApprovalGate({ desk: ports.approvals, recorder: this.#recorder, clock: ports.clock });
  }

  /**
   * Never rejects: every failure is an envelope, with `error` fit for people and models.
   * @param args the arguments as given; they reach the tool unchanged. Absent means `{}`
   */
  async execute(name: string, args?: unknown, options?: ExecuteOptions): Promise<ExecutionEnvelope> {
    const { clock, newId, observer } = this.#ports;
    const given = options ?? {};
    const call = new RunningCall(given.executionId ?? newId(), nameOf(name), given, clock, observer ?? null);
    try {
      return await this.#perform(call, args === undefined ? {} : args);
    } catch (error) {
      return await this.#recorder.unexpected(call, args, error);
    }
  }

  async #perform(call: RunningCall, args: unknown): Promise<ExecutionEnvelope> {
    if (call.begun || call.options.approval !== undefined) {
      const ended = this.#endedBefore(call);
      if (ended !== null) return this.#recorder.neverRan(call, args, ended);
    }
    let definition = this.#find(call);
    if (definition === undefined) {
      const { reason, ended } = await this.#lookAgain(call);
      if (ended !== null) return this.#recorder.neverRan(call, args, ended);
      definition = this.#find(call);
      if (definition === undefined) return this.#unknownTool(call, args, reason);
    }
    call.definition = definition;
    const { timeoutMs, setBy } = timeoutOf(definition, call.options.timeoutMs, this.#ports.limits);
    call.timeoutMs = timeoutMs;
    const { approval } = call.options;
    const other = approval?.approved === true ? changedSince(approval.definition, definition) : null;
    const refusal = other ?? (await this.#admit(call, definition, args, timeoutMs, setBy));
    call.markValidated();
    if (refusal !== null) return this.#recorder.neverRan(call, args, refusal);

    if (call.begun || this.#gate.guards(call, definition)) return this.#askFirst(call, definition, args);
    const unrecorded = this.#recorder.begin(call, args);
    if (unrecorded !== null) {
      const refusedRecord = await unrecorded;
      if (refusedRecord !== null) return refusedRecord;
    }
    const outcome = await this.#run(call, definition, args as Record<string, unknown>, timeoutMs);
    return this.#recorder.finish(call, args, this.#judge(outcome, definition, timeoutMs, setBy, call.lastRemark));
  }

  #find(call: RunningCall): ToolDefinition | undefined {
    const { provided } = call.options;
    return provided === undefined ? this.#ports.registry.get(call.toolName) : provided.definition;
  }

  /** Decided, or given up, before anything was looked at. */
  #endedBefore({ options: { signal, approval } }: RunningCall): Verdict | null {
    if (signal?.aborted) return aborted(signal.reason);
    return approval === undefined || approval.approved ? null : notApproved(approval);
  }

  async #askFirst(call: RunningCall, asked: ToolDefinition, askedArgs: unknown): Promise<ExecutionEnvelope> {
    const since = this.#ports.clock.elapsed();
    const passed = await this.#gate.pass(call, asked, askedArgs);
    if (passed.answer !== null) return passed.answer;
    const { edited, shown } = passed;
    const args = edited === null ? askedArgs : edited.args;
    // A person may have taken a day: what was looked up and judged before need not hold any more.
    const definition = this.#find(call);
    if (definition === undefined) {
      const gone = `Tool '${call.toolName}' not found: it left the catalogue while the call waited for approval`;
      return this.#recorder.neverRan(call, args, failure("not_found", gone));
    }
    const other = changedSince(shown, definition);
    if (other !== null) return this.#recorder.neverRan(call, args, other);
    call.definition = definition;
    const { timeoutMs, setBy } = timeoutOf(definition, call.options.timeoutMs, this.#ports.limits);
    call.timeoutMs = timeoutMs;
    if (edited !== null || definition !== asked) {
      const refusal = await this.#admit(call, definition, args, timeoutMs, setBy);
      if (refusal !== null) return this.#recorder.neverRan(call, args, refusal);
    }
    const refused = await (call.begun
      ? this.#recorder.proceed(call, args, edited !== null)
      : this.#recorder.begin(call, args));
    if (refused !== null) return refused;
    call.markWaited(since);
    call.options.onApproved?.(edited === null ? null : { args });
    const outcome = await this.#run(call, definition, args as Record<string, unknown>, timeoutMs);
    return this.#recorder.finish(call, args, this.#judge(outcome, definition, timeoutMs, setBy, call.lastRemark));
  }

  /** Waits no longer than a run may take, and not past the caller's cancel. */
  async #lookAgain(call: RunningCall): Promise<{ reason: string | null; ended: Verdict | null }> {
    const { explainMissing, limits, clock } = this.#ports;
    const waiting = new AbortController();
    const explaining = explainMissing?.(call.toolName, waiting.signal) ?? null;
    if (explaining === null) return { reason: null, ended: null };
    const limit = new CallLimit(call.options.timeoutMs ?? limits.timeoutMs, null, clock.elapsed);
    const abort = (reason: unknown): void => waiting.abort(reason);
    const outcome = await awaitRun(explaining, { limit, callerSignal: call.options.signal, abort });
    if (outcome.ended === "thrown") throw outcome.thrown;
    if (outcome.ended === "aborted") return { reason: null, ended: aborted(outcome.reason) };
    const late = "its server is still connecting";
    return { reason: outcome.ended === "timeout" ? late : (outcome.value as string | null), ended: null };
  }

  #unknownTool(
    call: RunningCall,
    args: unknown,
    reason: string | null,
  ): Promise<ExecutionEnvelope> | ExecutionEnvelope {
    call.markValidated();
    const error = `Tool '${call.toolName}' not found${reason === null ? "" : `: ${reason}`}`;
    this.#ports.logger.warn({ tool: call.toolName, source: call.source }, error);
    return this.#recorder.neverRan(call, args, failure("not_found", error));
  }

  /** Null when the call may run; otherwise why not. Waiting for a verdict counts against the call's own limit. */
  #admit(
    call: RunningCall,
    definition: ToolDefinition,
    args: unknown,
    timeoutMs: number,
    setBy: FiredLimit["setBy"],
  ): Verdict | null | Promise<Verdict | null> {
    const { validator, limits } = this.#ports;
    const callerSignal = call.options.signal;
    if (callerSignal?.aborted) return aborted(callerSignal.reason);
    const judged = validateArguments(validator, definition.parameters, args, limits, call.options.skipValidation);
    if (!(judged instanceof Promise)) return judged === null ? null : invalid(judged, definition);
    const limit = new CallLimit(timeoutMs, null, this.#ports.clock.elapsed);
    return awaitRun(judged, { limit, callerSignal, abort: ignore }).then((outcome) => {
      if (outcome.ended === "thrown") throw outcome.thrown;
      if (outcome.ended !== "value") return this.#judge(outcome, definition, timeoutMs, setBy);
      return outcome.value === null ? null : invalid(outcome.value as Refusal, definition);
    });
  }

  #run(
    call: RunningCall,
    definition: ToolDefinition,
    args: Record<string, unknown>,
    timeoutMs: number,
  ): RunOutcome | Promise<RunOutcome> {
    const callerSignal = call.options.signal;
    call.markStarted();
    call.limit = new CallLimit(timeoutMs, definition.max_total_timeout_ms ?? null, this.#ports.clock.elapsed);
    if (callerSignal?.aborted) return { ended: "aborted", reason: callerSignal.reason };
    const running = this.#start(call, definition, args);
    if (!isThenable(running)) {
      call.markRan();
      return running;
    }
    const abort = (reason: unknown): void => call.abort(reason);
    return awaitRun(running, { limit: call.limit, callerSignal, abort }).then(async (outcome) => {
      call.markRan();
      if (outcome.ended === "value" && definition.outputSchema !== undefined) {
        await checkToolResult(this.#ports.validator, definition, outcome.value, call);
      }
      return outcome;
    });
  }

  #start(
    call: RunningCall,
    definition: ToolDefinition,
    args: Record<string, unknown>,
  ): RunOutcome | PromiseLike<unknown> {
    try {
      const { provided } = call.options;
      const value = provided === undefined ? this.#runFromCatalogue(call, definition, args) : provided.run(args, call);
      return isThenable(value) ? value : { ended: "value", value };
    } catch (thrown) {
      return { ended: "thrown", thrown };
    }
  }

  #runFromCatalogue(call: RunningCall, definition: ToolDefinition, args: Record<string, unknown>): unknown {
    const run = this.#ports.registry.getExecutor(call.toolName);
    return runImplementation(definition, run, this.#ports.implementations, args, call);
  }

  #judge(
    outcome: RunOutcome,
    definition: ToolDefinition,
    timeoutMs: number,
    setBy: FiredLimit["setBy"],
    remark: string | null = null,
  ): Verdict {
    switch (outcome.ended) {
      case "value":
        return this.#recorder.succeed(definition, outcome.value);
      case "timeout": {
        const said = `Tool '${definition.name}' timed out after ${spokenDuration(timeoutMs)}`;
        return {
          ...failure("timeout", remark === null ? said : `${said}. ${remark}`),
          status: "timed_out",
          limit: { name: "timeout", value: timeoutMs, unit: "ms", setBy },
        };
      }
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

function invalid({ faults, unlisted, limit }: Refusal, definition: ToolDefinition): FailureVerdict {
  return {
    ...failure("invalid_arguments", describeFaults(faults, unlisted)),
    faults,
    ...(limit ? { limit } : {}),
    required_parameters: requiredParameters(definition.parameters),
  };
}

/** An approval is for the tool that was shown, and for no other of its name. */
function changedSince(shown: ToolDefinition | null | undefined, now: ToolDefinition): FailureVerdict | null {
  if (shown === undefined || (shown !== null && isSameTool(shown, now))) return null;
  return failure("tool_changed", `'${now.name}' changed while the call waited for approval: call it again`);
}

/** Callers in JavaScript may give anything; a name that is no text is an unknown tool. */
function nameOf(name: unknown): string {
  // It is written into every list of the logbook.
  if (typeof name === "string") return name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name;
  try {
    return nameOf(String(name));
  } catch {
    return "";
  }
}

/** Nothing hears of the end of a wait for a verdict. */
function ignore(): void {}
