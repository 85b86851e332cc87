import type { ExecutionEnvelope } from "../../../lib/contract/envelope";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { ApprovalGate, isSameTool } from "../approvals/approval-gate";
import type { ApprovalBroker } from "../approvals/approval-ports";
import { describeThrown } from "../failures";
import type { ArgumentValidator, ExecutionObserver, Masking } from "../ports";
import type { ToolRegistry } from "../registry/tool-registry";
import type { CallRules, RuleSteps } from "../rules/call-rules";
import { describeFaults, requiredParameters } from "../validation/argument-faults";
import { decidingSchema, type Refusal, validateArguments } from "../validation/validate-arguments";
import { awaitTool, type ExplainMissing, type MissingReason } from "./await-tool";
import { CallArguments, maskFaults } from "./call-arguments";
import type { CallGuard } from "./call-guard";
import { CallLimit, getTimeout, spokenDuration } from "./call-limit";
import { aborted, type CallFailure, type CallOutcome, failure, notApproved } from "./call-outcome";
import { checkToolResult } from "./check-tool-result";
import type { ExecuteOptions } from "./execute-options";
import { ExecutionRecorder, type RecorderPorts } from "./execution-recorder";
import {
  awaitOutcome,
  type ImplementationOutcome,
  type Implementations,
  isThenable,
  runImplementation,
} from "./run-implementation";
import { type CallRoute, type ResolvedCall, RunningCall } from "./running-call";

export type { MissingReason } from "./await-tool";
export type { ExecuteOptions } from "./execute-options";

/** Twice the length of the longest possible name. */
const MAX_NAME_CHARS = 256;

export interface ToolExecutorPorts extends RecorderPorts {
  registry: Pick<ToolRegistry, "get" | "getExecutor" | "heldReason">;
  validator: ArgumentValidator;
  implementations: Implementations;
  newId: () => string;
  observer?: ExecutionObserver | undefined;
  /** Absent where executions are not stored. */
  masking?: Masking | undefined;
  /** Called with a name that the registry does not have: may register it, for a server that is still connecting. */
  explainMissing?: ExplainMissing | undefined;
  /** Absent where no rules are stored. */
  rules?: CallRules | undefined;
  /** Absent: a tool whose definition requires approval is refused. */
  approvals?: ApprovalBroker | undefined;
}

/**
 * Runs every tool call of the product: browser, agent, gateway, replay, background. Looks up the tool, validates the
 * arguments, requests approval where required, records the start, runs the tool, records the end, and returns the result.
 */
export class ToolExecutor {
  readonly #ports: ToolExecutorPorts;
  readonly #recorder: ExecutionRecorder;
  readonly #gate: ApprovalGate;
  readonly #ruleSteps: RuleSteps;

  constructor(ports: ToolExecutorPorts) {
    this.#ports = ports;
    this.#recorder = new ExecutionRecorder(ports);
    this.#gate = new ApprovalGate({ broker: ports.approvals, recorder: this.#recorder, clock: ports.clock });
    this.#ruleSteps = {
      showWaiting: (call) => this.#showWaiting(call),
      route: (call, route) => this.#route(call, route),
    };
  }

  /**
   * Never rejects: every failure is an envelope, with `error` readable by users and models.
   * @param args a value, or `CallArguments` where the caller has the text that was sent. Absent means `{}`
   */
  async execute(name: string, args?: unknown, options?: ExecuteOptions): Promise<ExecutionEnvelope> {
    const call = new RunningCall(getName(name), CallArguments.from(args), options ?? {}, this.#ports);
    try {
      return await this.#perform(call);
    } catch (error) {
      return await this.#recorder.recordUnexpected(call, error);
    }
  }

  async #perform(call: RunningCall): Promise<ExecutionEnvelope> {
    const { approval } = call.options;
    const ended = call.state.begun || approval !== undefined ? endedEarly(call) : null;
    if (ended !== null) return this.#recorder.recordRefusal(call, ended);
    if (!this.#select(call)) {
      const refused = this.#heldRefusal(call);
      if (refused !== null) return this.#recorder.recordRefusal(call, refused);
      const {
        reason,
        ended: endedWaiting,
        unrecorded,
      } = await awaitTool(call, { ...this.#ports, list: () => this.#recorder.list(call) });
      if (unrecorded !== null) return unrecorded;
      if (endedWaiting !== null || !this.#select(call)) {
        return this.#recorder.recordRefusal(call, endedWaiting ?? this.#unknownTool(call, reason));
      }
    }
    const shown = approval?.approved === true ? approval.definition : undefined;
    // The approver of a routed call was shown the tool that a rule had run: rules say which tool that is now.
    const isRouted = shown != null && shown.name !== call.definition.name;
    const changed = isRouted ? null : changedSince(shown, call.definition);
    const refusal =
      this.#heldRefusal(call) ??
      changed ??
      (await this.#admit(call)) ??
      (await this.#rule(call)) ??
      (isRouted || call.state.route !== null ? changedSince(shown, call.definition) : null);
    call.markValidated();
    if (refusal !== null) return this.#recorder.recordRefusal(call, refusal);

    if (call.state.begun || this.#gate.guards(call)) return this.#runApproved(call);
    const recording = this.#recorder.begin(call);
    const unrecorded = recording === null ? null : await recording;
    return unrecorded ?? this.#finish(call, this.#toOutcome(call, await this.#run(call)));
  }

  /** Takes the tool from the catalog, or the one that only this call knows. False for an unknown name. */
  #select(call: RunningCall): call is ResolvedCall {
    const { provided, timeoutMs } = call.options;
    const definition = provided === undefined ? this.#ports.registry.get(call.toolName) : provided.definition;
    if (definition === undefined) return false;
    call.resolve(definition, getTimeout(definition, timeoutMs, this.#ports.limits));
    return true;
  }

  /** Refuses a tool that its server changed; decides by memory, without a query. */
  #heldRefusal(call: RunningCall): CallFailure | null {
    const reason = call.options.provided === undefined ? this.#ports.registry.heldReason(call.toolName) : undefined;
    return reason === undefined ? null : failure("definition_changed", reason);
  }

  /** Null where no rule denies the call. What was decided before, by rules and by a user, stands. */
  #rule(call: ResolvedCall): CallFailure | null | Promise<CallFailure | null> {
    const { rules } = this.#ports;
    if (rules === undefined) return null;
    if (call.state.begun || call.options.approval !== undefined) return rules.resume(call, this.#ruleSteps);
    return rules.decide(call, this.#ruleSteps);
  }

  /** Has another tool run the call, which must be one that this call could have run by its name. */
  #route(call: ResolvedCall, route: CallRoute): CallFailure | null | Promise<CallFailure | null> {
    const { registry, limits } = this.#ports;
    const { rule, tool } = route;
    const definition = registry.get(tool);
    if (definition === undefined) {
      return failure("rule", `Denied by rule ${rule}: it routes the call to '${tool}', which does not exist`);
    }
    const held = registry.heldReason(tool);
    if (held !== undefined) return failure("definition_changed", `Rule ${rule} routes the call to '${tool}': ${held}`);
    call.routeTo(definition, getTimeout(definition, call.options.timeoutMs, limits), route);
    const explain = (refusal: CallFailure | null): CallFailure | null =>
      refusal?.error_kind === "invalid_arguments"
        ? { ...refusal, error: `${refusal.error} (rule ${rule} routes the call to '${tool}')` }
        : refusal;
    const refusal = this.#admit(call);
    return refusal instanceof Promise ? refusal.then(explain) : explain(refusal);
  }

  /** Lists a call that waits for room under a limit, so that it can be found and cancelled. */
  async #showWaiting(call: ResolvedCall): Promise<CallFailure | null> {
    if (call.state.begun || call.state.listed) return null;
    const unrecorded = await this.#recorder.list(call);
    return unrecorded === null || unrecorded.success ? null : failure(unrecorded.error_kind, unrecorded.error);
  }

  async #runApproved(call: ResolvedCall): Promise<ExecutionEnvelope> {
    const { toolName } = call;
    const { route } = call.state;
    const validated = route?.from ?? call.definition;
    const since = this.#ports.clock.elapsed();
    const passed = await this.#gate.pass(call);
    if (passed.answer !== null) return passed.answer;
    const { edited, shown, by } = passed;
    if (edited !== null) call.replaceArguments(restored(edited, call));
    // An approval may take a day: the lookup and the validation from before may be outdated.
    const isKnown = this.#select(call);
    const changed = isKnown
      ? (this.#heldRefusal(call) ?? (route === null ? changedSince(shown, call.definition) : null))
      : failure("not_found", `Tool '${toolName}' not found: it was removed while the call waited for approval`);
    if (changed !== null) return this.#recorder.recordRefusal(call, changed);
    if (edited !== null || route !== null || call.definition !== validated) {
      const refusal =
        (await this.#admit(call)) ??
        (edited === null ? null : await this.#ports.rules?.decideEdited(call, by, this.#ruleSteps)) ??
        (edited === null && route !== null ? await this.#route(call, route) : null) ??
        (route !== null || call.state.route !== null ? changedSince(shown, call.definition) : null);
      if (refusal !== null) return this.#recorder.recordRefusal(call, refusal);
    }
    const unrecorded = await (call.state.begun
      ? this.#recorder.proceed(call, edited !== null)
      : this.#recorder.begin(call));
    if (unrecorded !== null) return unrecorded;
    call.markWaited(since);
    call.options.onApproved?.(edited);
    return this.#finish(call, this.#toOutcome(call, await this.#run(call)));
  }

  /** Every result leaves the executor here: rules about results apply before any caller receives it. */
  #finish(call: ResolvedCall, outcome: CallOutcome): ExecutionEnvelope | Promise<ExecutionEnvelope> {
    const { guard } = call.state;
    return guard === null ? this.#recorder.finish(call, outcome) : this.#finishGuarded(call, outcome, guard);
  }

  async #finishGuarded(call: ResolvedCall, outcome: CallOutcome, guard: CallGuard): Promise<ExecutionEnvelope> {
    const { stored, sent, matches } = await guard.guard(outcome);
    call.addRuleMatches(matches);
    if (sent !== outcome && sent.success) {
      await checkToolResult(this.#ports.validator, call.definition, sent.result, call, "redacted");
    }
    return await this.#recorder.finish(call, stored, sent);
  }

  #unknownTool(call: RunningCall, reason: MissingReason): CallFailure {
    call.markValidated();
    const error =
      typeof reason === "object" && reason !== null
        ? `Tool '${call.toolName}' cannot be called: ${reason.unusable}`
        : `Tool '${call.toolName}' not found${reason === null ? "" : `: ${reason}`}`;
    this.#ports.logger.warn({ tool: call.toolName, source: call.source }, error);
    return failure("not_found", error);
  }

  /** Null when the call may run. A validation in the worker counts against the call's time limit. */
  #admit(call: ResolvedCall): CallFailure | null | Promise<CallFailure | null> {
    const { validator, limits, clock, masking } = this.#ports;
    const { definition, args } = call;
    const { signal: callerSignal, skipValidation } = call.options;
    if (callerSignal?.aborted) return aborted(callerSignal.reason);
    const masks = masking === undefined ? [] : maskFaults(args);
    if (masks.length > 0) return invalid({ faults: masks, unlisted: 0 }, definition);
    const refusal = validateArguments(validator, decidingSchema(definition), args.value, limits, skipValidation);
    if (!(refusal instanceof Promise)) return refusal === null ? null : invalid(refusal, definition);
    const limit = new CallLimit(call.timeoutMs, null, clock.elapsed);
    return awaitOutcome(refusal, { limit, callerSignal, abort: ignore }).then((outcome) => {
      switch (outcome.ended) {
        case "thrown":
          throw outcome.thrown;
        case "timeout":
          return timedOut(call);
        case "aborted":
          return aborted(outcome.reason);
        case "value":
          return outcome.value === null ? null : invalid(outcome.value as Refusal, definition);
      }
    });
  }

  #run(call: ResolvedCall): ImplementationOutcome | Promise<ImplementationOutcome> {
    const { definition } = call;
    const callerSignal = call.options.signal;
    const limit = new CallLimit(call.timeoutMs, definition.max_total_timeout_ms ?? null, this.#ports.clock.elapsed);
    call.setGuard(this.#ports.rules?.guard(call, (result) => this.#recorder.toOutcome(definition, result)) ?? null);
    call.markStarted(limit);
    if (callerSignal?.aborted) return { ended: "aborted", reason: callerSignal.reason };
    const running = this.#start(call);
    if (!isThenable(running)) {
      call.markRan();
      return running;
    }
    const abort = (reason: unknown): void => call.abort(reason);
    return awaitOutcome(running, { limit, callerSignal, abort }).then(async (outcome) => {
      call.markRan();
      if (outcome.ended === "value" && definition.outputSchema !== undefined) {
        await checkToolResult(this.#ports.validator, definition, outcome.value, call);
      }
      return outcome;
    });
  }

  #start(call: ResolvedCall): ImplementationOutcome | PromiseLike<unknown> {
    const { registry, implementations } = this.#ports;
    const { provided } = call.options;
    const args = call.args.toSentValue();
    try {
      const value =
        provided === undefined
          ? runImplementation(call.definition, registry, implementations, args, call)
          : provided.run(args, call);
      return isThenable(value) ? value : { ended: "value", value };
    } catch (thrown) {
      return { ended: "thrown", thrown };
    }
  }

  #toOutcome(call: ResolvedCall, outcome: ImplementationOutcome): CallOutcome {
    switch (outcome.ended) {
      case "value":
        return this.#recorder.toOutcome(call.definition, outcome.value);
      case "timeout":
        return timedOut(call);
      case "aborted":
        return aborted(outcome.reason);
      case "thrown": {
        const { kind, message, protocolError, expected } = describeThrown(outcome.thrown);
        const stack = !expected && outcome.thrown instanceof Error ? outcome.thrown.stack : undefined;
        return { ...failure(kind, message), stack, ...(protocolError ? { protocol_error: protocolError } : {}) };
      }
    }
  }
}

/** Decided, or aborted by the caller, before the tool was looked up. */
function endedEarly({ options: { signal, approval } }: RunningCall): CallFailure | null {
  if (signal?.aborted) return aborted(signal.reason);
  return approval === undefined || approval.approved ? null : notApproved(approval);
}

function timedOut({ definition, timeoutMs, timeoutSetBy: setBy, state: { timeoutHint } }: ResolvedCall): CallFailure {
  const message = `Tool '${definition.name}' timed out after ${spokenDuration(timeoutMs)}`;
  return {
    ...failure("timeout", timeoutHint === null ? message : `${message}. ${timeoutHint}`),
    status: "timed_out",
    limit: { name: "timeout", value: timeoutMs, unit: "ms", setBy },
  };
}

function invalid({ faults, unlisted, limit }: Refusal, definition: ToolDefinition): CallFailure {
  return {
    ...failure("invalid_arguments", describeFaults(faults, unlisted)),
    faults,
    ...(limit ? { limit } : {}),
    required_parameters: requiredParameters(definition.parameters),
  };
}

/** Puts the caller's values back in place of the masks that a user left in the arguments. */
function restored(edited: CallArguments, call: RunningCall): CallArguments {
  const text = call.mask.restore(edited.text);
  return text === edited.text ? edited : CallArguments.parse(text);
}

/** Callers in JavaScript may pass any value; one that is not a text counts as an unknown tool. */
function getName(name: unknown): string {
  // Every list of executions shows it.
  if (typeof name === "string") return name.length > MAX_NAME_CHARS ? `${name.slice(0, MAX_NAME_CHARS)}…` : name;
  try {
    return getName(String(name));
  } catch {
    return "";
  }
}

/** A validation has nothing to abort. */
function ignore(): void {}

/** An approval is for the tool that was shown, and for no other of its name. */
function changedSince(shown: ToolDefinition | null | undefined, now: ToolDefinition): CallFailure | null {
  if (shown === undefined || (shown !== null && shown.name === now.name && isSameTool(shown, now))) return null;
  return failure("tool_changed", `'${now.name}' changed while the call waited for approval: call it again`);
}
