import type { ToolCallResult } from "../../../lib/contract/content";
import type { ErrorKind, ExecutionEnvelope, FailureEnvelope } from "../../../lib/contract/envelope";
import { isPlainObject } from "../../../lib/contract/json";
import { getServerName, type ToolDefinition } from "../../../lib/contract/tool-definition";
import { parseExact } from "../../../lib/json/exact-text";
import { getKeptText, keepText, toJsonText } from "../../../lib/json/known-text";
import { assertJsonDepth, assertTextDepth } from "../../../lib/json/limits";
import { INLINE_CHARS } from "../../../lib/parse-in-slices";
import { utf8Bytes } from "../../../lib/utf8-bytes";
import { applyLens, type Lenses } from "../lens/lens-calls";
import type { CallMask } from "../masking/call-mask";
import type {
  ApprovalRequest,
  Clock,
  ExecutionEnd,
  ExecutionJournal,
  ExecutionLimits,
  ExecutionStart,
  Logger,
} from "../ports";
import type { CallRules } from "../rules/call-rules";
import { measureJson } from "../validation/validate-arguments";
import { CallArguments } from "./call-arguments";
import { type CallFailure, type CallOutcome, failure } from "./call-outcome";
import { cutAtBytes, cutAtChars, failureText } from "./output-limits";
import { type RunningCall, readCallEvents } from "./running-call";
import { isToolCallResult, readErrorText, textOfToolResult, withoutLargestMedia } from "./tool-call-result";

/** The length of the error's sentence; the response that it was taken from is kept whole. */
const MAX_ERROR_CHARS = 10_000;
const MAX_FAULT_CHARS = 300;
const MAX_MEASURED_DEPTH = 1_000;

export interface RecorderPorts {
  /** Absent where executions are not stored: tests, benches, embedding. */
  journal?: ExecutionJournal | undefined;
  logger: Logger;
  limits: ExecutionLimits;
  clock: Clock;
  /** Absent where tools have no lenses. */
  lenses?: Lenses | undefined;
  /** Absent where no rules are stored. */
  rules?: Pick<CallRules, "settle"> | undefined;
}

/** Records a call: the journal's rows, the log line, and the envelope for the caller. */
export class ExecutionRecorder {
  readonly #ports: RecorderPorts;
  readonly #callLog: CallLog;
  /** Texts of mock responses, which are frozen and live as long as their definition. */
  readonly #mockTexts = new WeakMap<object, string>();

  constructor(ports: RecorderPorts) {
    this.#ports = ports;
    this.#callLog = new CallLog(ports);
  }

  /** The result with its JSON text, or a failure when it has none. */
  toOutcome(definition: ToolDefinition, value: unknown): CallOutcome {
    const result = value === undefined ? null : value;
    const { type } = definition.implementation;
    const response = type === "mock" && typeof result === "object" ? result : null;
    try {
      const keptText =
        type === "mcp" && typeof result === "object" && result !== null ? getKeptText(result) : undefined;
      const knownText = response === null ? keptText : this.#mockTexts.get(response);
      if (knownText === undefined) assertJsonDepth(result);
      // A longer one was read in slices, which bounds its depth.
      else if (knownText.length <= INLINE_CHARS) assertTextDepth(knownText);
      const resultText = knownText ?? (JSON.stringify(result) as string | undefined);
      if (resultText === undefined) throw new TypeError(`a ${typeof result} is not JSON`);
      if (response !== null && knownText === undefined) this.#mockTexts.set(response, resultText);
      // A resource or prompt has another form than the result of a tool.
      if (type !== "mcp" || !isToolCallResult(result)) return { success: true, result, resultText };
      // The gateway passes the result on with the same text.
      keepText(result, resultText);
      return toToolOutcome(result, resultText);
    } catch (error) {
      const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
      return failure("tool_error", `The tool returned a value that cannot be written as JSON: ${reason}`);
    }
  }

  /**
   * Null without a journal; else a promise of null (recorded) or of the envelope that refuses the call.
   * @param waiting for a call that waits for approval; `request` null where the broker stores the request
   */
  begin(call: RunningCall, waiting?: { request: ApprovalRequest | null }): Promise<ExecutionEnvelope | null> | null {
    const { journal } = this.#ports;
    if (journal === undefined) return null;
    const start = this.#toStart(call, call.storedArgumentsText);
    if (waiting !== undefined) start.waiting = true;
    if (waiting?.request) start.request = waiting.request;
    if (call.state.listed) start.listed = true;
    const { durable, onRecorded } = call.options;
    return journal.begin(start).then(
      () => {
        call.markBegun();
        onRecorded?.();
        return durable === undefined ? null : durable.then(() => null);
      },
      (error: unknown) => this.#refuseUnrecorded(call, error),
    );
  }

  /** Records a call whose server is still starting, so that it can be found and cancelled. */
  async list(call: RunningCall): Promise<ExecutionEnvelope | null> {
    try {
      await this.#ports.journal?.begin(this.#toStart(call, call.storedArgumentsText));
    } catch (error) {
      return this.#refuseUnrecorded(call, error);
    }
    if (this.#ports.journal !== undefined) call.markListed();
    call.options.onRecorded?.();
    return null;
  }

  async #refuseUnrecorded(call: RunningCall, error: unknown): Promise<ExecutionEnvelope> {
    const outcome = notRecorded(`The call could not be recorded, so the tool was not run: ${toReason(error)}`);
    await this.#ports.rules?.settle(call, outcome);
    this.#callLog.write(call, outcome, error);
    return toEnvelope(call, outcome);
  }

  /**
   * What the call used is known before the end is recorded, which says it.
   * @param delivered what the caller receives, where rules keep parts of the outcome from it
   */
  finish(call: RunningCall, outcome: CallOutcome, delivered = outcome): ExecutionEnvelope | Promise<ExecutionEnvelope> {
    const settled = this.#ports.rules?.settle(call, outcome) ?? null;
    return settled === null
      ? this.#project(call, outcome, delivered)
      : settled.then(() => this.#project(call, outcome, delivered));
  }

  /** Projects the result before the end is recorded, so that the record has the sent text. */
  #project(
    call: RunningCall,
    outcome: CallOutcome,
    delivered: CallOutcome,
  ): ExecutionEnvelope | Promise<ExecutionEnvelope> {
    const { lenses } = this.#ports;
    const sent = lenses === undefined ? delivered : applyLens(lenses, call, delivered);
    const end = (each: CallOutcome) => this.#end(call, delivered === outcome ? each : outcome, each);
    return sent instanceof Promise ? sent.then(end) : end(sent);
  }

  #end(call: RunningCall, outcome: CallOutcome, sent: CallOutcome): ExecutionEnvelope | Promise<ExecutionEnvelope> {
    if (call.options.isCallerGone?.() === true) call.noteCallerGone();
    this.#callLog.write(call, outcome);
    const { journal } = this.#ports;
    if (journal === undefined) return toEnvelope(call, sent);
    // The journal has the arguments since the start; a retried end must not keep them in memory.
    return journal.finish(this.#toStart(call, ""), this.#toEnd(call, outcome, sent)).then(
      () => toEnvelope(call, sent),
      (error: unknown) => {
        const unrecorded = endNotRecorded(sent.success ? null : sent.error, error);
        const failed = outcome.success ? null : this.#callLog.toLoggedError(call, outcome);
        this.#callLog.write(call, endNotRecorded(failed, error), error);
        const envelope = toEnvelope(call, unrecorded) as FailureEnvelope;
        return sent.success ? { ...envelope, unrecorded_result: sent.result } : envelope;
      },
    );
  }

  /** Records that an approved call runs. Null when it may; else the envelope that refuses it. */
  async proceed(call: RunningCall, edited: boolean): Promise<ExecutionEnvelope | null> {
    const { journal, clock } = this.#ports;
    if (journal === undefined) return null;
    const proceeding = { startedAt: clock.now(), argumentsText: edited ? call.storedArgumentsText : undefined };
    try {
      if (await journal.proceed(this.#toStart(call, ""), proceeding)) return null;
      // The row no longer waits, so nothing is written.
      return this.leave(call, notRecorded("The call was already decided elsewhere and is not run twice"));
    } catch (error) {
      const reason = toReason(error);
      const outcome = notRecorded(`The approved call could not be recorded, so the tool was not run: ${reason}`);
      return await this.finish(call, outcome);
    }
  }

  /** Answers the caller and leaves the call's row as it is: it still waits. */
  leave(call: RunningCall, outcome: CallOutcome): ExecutionEnvelope {
    this.#callLog.write(call, outcome);
    return toEnvelope(call, outcome);
  }

  /** Records one row for a call that did not reach its tool. */
  recordRefusal(call: RunningCall, outcome: CallFailure): ExecutionEnvelope | Promise<ExecutionEnvelope> {
    // A call that has begun settles at its end.
    const settled = call.state.begun ? null : (this.#ports.rules?.settle(call, outcome) ?? null);
    return settled === null
      ? this.#recordRefusal(call, outcome)
      : settled.then(() => this.#recordRefusal(call, outcome));
  }

  #recordRefusal(call: RunningCall, outcome: CallFailure): ExecutionEnvelope | Promise<ExecutionEnvelope> {
    if (call.state.listed && !call.state.begun) return this.#refuseListed(call, outcome);
    // A call that waits for approval outlives the server: it is resumed after the next start.
    if (call.state.begun)
      return outcome.status === "interrupted" ? this.leave(call, outcome) : this.finish(call, outcome);
    this.#callLog.write(call, outcome);
    const { journal } = this.#ports;
    if (journal === undefined) return toEnvelope(call, outcome);
    return journal.record(this.#toStart(call, call.storedArgumentsText), this.#toEnd(call, outcome)).then(
      () => toEnvelope(call, outcome),
      (error: unknown) => {
        const message = `The refused call (${outcome.error}) could not be recorded: ${toReason(error)}`;
        return toEnvelope(call, notRecorded(message));
      },
    );
  }

  async #refuseListed(call: RunningCall, outcome: CallFailure): Promise<ExecutionEnvelope> {
    return (await this.begin(call)) ?? (await this.finish(call, outcome));
  }

  /** A bug, or arguments that no program can read. Logged with its stack, recorded, answered without detail. */
  async recordUnexpected(call: RunningCall, error: unknown): Promise<ExecutionEnvelope> {
    const reason = error instanceof RangeError ? error.message : "see the server's log";
    const outcome: CallFailure = {
      ...failure("unexpected", `The call could not be carried out: ${reason}`),
      stack: getStack(error),
    };
    try {
      return await this.recordRefusal(call, outcome);
    } catch (second) {
      const fields = { execution_id: call.executionId, tool: call.toolName, stack: getStack(second) };
      this.#ports.logger.error(fields, "Nothing could be recorded");
      return toEnvelope(call, outcome);
    }
  }

  #toStart(call: RunningCall, argumentsText: string): ExecutionStart {
    const { options, definition } = call;
    const start: ExecutionStart = {
      id: call.executionId,
      toolName: call.toolName,
      definition,
      implementationType: options.kind ?? definition?.implementation.type ?? null,
      source: call.source,
      actor: call.actor,
      client: options.client ?? null,
      protocol: options.protocol ?? null,
      serverName: definition === null ? null : getServerName(definition),
      argumentsText,
      queuedAt: call.queuedAt,
      validateMs: call.state.validateMs,
      timeoutMs: call.timeoutMs,
      validationSkipped: options.skipValidation === true,
      parentId: options.parentId ?? null,
      runId: options.runId ?? null,
      callId: options.callId ?? null,
      toolset: options.toolset ?? null,
      calledAs: options.calledAs === call.toolName ? null : (options.calledAs ?? null),
      tokenId: options.tokenId ?? null,
      reason: options.reason === undefined ? null : call.mask.text(options.reason),
    };
    const matches = call.state.ruleMatches === null ? null : call.takeRuleMatches();
    if (matches !== null) start.ruleMatches = matches;
    const charges = call.takeCharges();
    if (charges !== null) start.charges = charges;
    return start;
  }

  #toEnd(call: RunningCall, outcome: CallOutcome, sent = outcome): ExecutionEnd {
    const { limits } = this.#ports;
    const maxModelChars = call.definition?.max_model_chars ?? limits.maxModelChars;
    const maxStoredBytes = call.definition?.max_stored_bytes ?? limits.maxStoredBytes;
    const resultChars = countModelChars(sent, maxModelChars);
    const { lens = null, projected = null } = sent.success ? sent : {};
    return {
      id: call.executionId,
      ...call.times,
      logs: call.logs.length > 0 ? call.logs : null,
      ...call.state.marks,
      status: outcome.success ? "succeeded" : outcome.status,
      ...storedResult(outcome, maxStoredBytes, call.mask),
      modelChars: Math.min(projected?.chars ?? resultChars, maxModelChars),
      resultChars,
      lens: lens?.expression ?? null,
      lensFault: lens === null || lens.fault === null ? null : call.mask.text(lens.fault.slice(0, MAX_FAULT_CHARS)),
      error: outcome.success ? null : call.mask.text(outcome.error, outcome.error.length >= MAX_ERROR_CHARS),
      errorKind: outcome.success ? null : outcome.error_kind,
      faults: outcome.success ? null : call.mask.faults(outcome.faults ?? null),
      limit: outcome.success ? null : (outcome.limit ?? null),
      cost: call.state.cost,
      ...readCallEvents(call.state.events, call.mask, outcome),
    };
  }
}

/** Characters of the text that a model reads; of a longer one than `most`, at least so many. */
function countModelChars(outcome: CallOutcome, most: number): number {
  if (!outcome.success) return failureText(outcome).length;
  const { answer, result, resultText } = outcome;
  if (answer === undefined) return (typeof result === "string" ? result : resultText).length;
  const isWritten = answer.content.length === 0 && answer.structuredContent !== undefined;
  // A large value is not written as text to be counted.
  if (isWritten && resultText.length > most && exceedsChars(answer.structuredContent, most)) return most;
  return textOfToolResult(answer).length;
}

/** The measured size is at most the length of the text. */
const exceedsChars = (value: unknown, most: number): boolean =>
  measureJson(value, { maxBytes: most, maxDepth: MAX_MEASURED_DEPTH }).bytes > most;

function toEnvelope(call: RunningCall, outcome: CallOutcome): ExecutionEnvelope {
  const common = {
    tool_name: call.toolName,
    execution_time_ms: call.executionTimeMs,
    ...(call.durationMs !== null && { duration_ms: call.durationMs }),
    execution_id: call.executionId,
  };
  if (outcome.success) {
    const { result, projected } = outcome;
    return { success: true, result, status: "succeeded", ...(projected === undefined ? {} : { projected }), ...common };
  }
  const { stack: _stack, resultText: _resultText, ...sent } = outcome;
  return { ...sent, ...common };
}

/** An answer with `isError` is a failure that carries the server's text, and the answer itself (ERR-04). */
function toToolOutcome(result: ToolCallResult, resultText: string): CallOutcome {
  if (result.isError !== true) return { success: true, result, resultText, answer: result };
  const error = cutAtChars(readErrorText(result), MAX_ERROR_CHARS).text;
  return { success: false, status: "failed", error_kind: "tool_error", error, result, resultText };
}

/** @param failed the kind of the tool's failure; null for a success */
function endNotRecorded(failed: string | null, error: unknown): CallFailure {
  const ran = failed === null ? "The tool ran, but its result" : `The tool failed (${failed}), and this`;
  return notRecorded(`${ran} could not be recorded: ${toReason(error)}`);
}

const notRecorded = (error: string): CallFailure => failure("not_recorded", error);

function toReason(error: unknown): string {
  return error instanceof Error ? error.message : "unknown reason";
}

function getStack(error: unknown): string | undefined {
  return error instanceof Error ? error.stack : String(error);
}

/** The part of a result that is stored, masked: whole up to the limit, then without its largest media, then cut. */
function storedResult(
  { result, resultText }: { result?: unknown; resultText?: string | undefined },
  maxStoredBytes: number,
  mask: CallMask,
): Pick<ExecutionEnd, "resultText" | "resultTruncated" | "resultBytes" | "storedBytes"> {
  if (resultText === undefined) {
    return { resultText: null, resultTruncated: false, resultBytes: null, storedBytes: null };
  }
  const masked = mask.resultText(resultText);
  const isUnchanged = masked === resultText;
  const resultBytes = utf8Bytes(masked);
  if (resultBytes <= maxStoredBytes) {
    return { resultText: masked, resultTruncated: false, resultBytes, storedBytes: resultBytes };
  }
  const lighter = isToolCallResult(result)
    ? withoutLargestMedia(isUnchanged ? result : (parseExact(masked) as ToolCallResult), resultBytes - maxStoredBytes)
    : null;
  const { text } = cutAtBytes(lighter === null ? masked : (toJsonText(lighter) ?? masked), maxStoredBytes);
  return { resultText: text, resultTruncated: true, resultBytes, storedBytes: utf8Bytes(text) };
}

const MAX_LOGGED_ARGUMENT_CHARS = 4000;
const MAX_LOGGED_KEYS = 20;
const MAX_LOGGED_KEY_CHARS = 64;
/** The length of a log line; the execution has the whole text. */
const MAX_LOGGED_ERROR_CHARS = 2000;

/** The tool, or what it depends on, failed; other failures without a stack are refusals and cancellations. */
const UPSTREAM_KINDS: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["tool_error", "unavailable", "timeout"]);

interface CallLogPorts {
  logger: Logger;
  limits: Pick<ExecutionLimits, "slowMs">;
}

/** The log lines of calls, without secrets: sensitive arguments, and text that a server or an unknown tool was sent. */
class CallLog {
  readonly #ports: CallLogPorts;

  constructor(ports: CallLogPorts) {
    this.#ports = ports;
  }

  /** Writes one line for a call that ended, a warning for a slow one. */
  write(call: RunningCall, outcome: CallOutcome, cause?: unknown): void {
    const { logger, limits } = this.#ports;
    const executionTimeMs = call.executionTimeMs;
    if (executionTimeMs > limits.slowMs) {
      logger.warn(
        { execution_id: call.executionId, tool: call.toolName, execution_time_ms: executionTimeMs },
        `Tool '${call.toolName}' is slow: ${Math.round(executionTimeMs)} ms`,
      );
    }
    if (logger.isLevelEnabled?.("error") === false) return;
    if (outcome.success && logger.isLevelEnabled?.("info") === false) return;
    const fields = {
      execution_id: call.executionId,
      tool: call.toolName,
      arguments: this.#toLogged(call),
      status: outcome.success ? "succeeded" : outcome.status,
      result_chars: outcome.success ? outcome.resultText.length : null,
      execution_time_ms: executionTimeMs,
      source: call.source,
      actor: call.actor.id,
    };
    if (outcome.success) {
      logger.info(fields, "Tool executed");
      return;
    }
    const stack = outcome.stack ?? (cause instanceof Error ? cause.stack : undefined);
    const error = this.toLoggedError(call, outcome);
    const failed = { ...fields, error, error_kind: outcome.error_kind };
    if (stack === undefined) {
      logger[UPSTREAM_KINDS.has(outcome.error_kind) ? "warn" : "info"](failed, "Tool execution failed");
    } else logger.error({ ...failed, stack: this.#withoutSecrets(call, stack) }, "Tool execution failed");
  }

  /** A result of a server may hold secrets, so its text stays in the execution. */
  toLoggedError(call: RunningCall, outcome: CallFailure): string {
    const { error, error_kind, result } = outcome;
    if (error_kind === "tool_error" && result !== undefined) {
      return `The tool returned an error of ${error.length} characters: see the execution`;
    }
    return this.#withoutSecrets(call, error);
  }

  /** The text without masked values, which tools repeat in their errors. */
  #withoutSecrets({ mask }: RunningCall, text: string): string {
    return cutAtChars(mask.text(text), MAX_LOGGED_ERROR_CHARS).text;
  }

  #toLogged(call: RunningCall): unknown {
    const { definition, args, storedArgumentsText: stored } = call;
    if (definition === null) return describeSize(args);
    return cutLongArguments(stored === args.text ? args : CallArguments.parse(stored));
  }
}

/** Arguments that no schema describes may hold secrets in any value. */
function describeSize({ text, value }: CallArguments): { characters: number; keys?: string[] } {
  const characters = text.length;
  if (!isPlainObject(value)) return { characters };
  const keys = Object.keys(value).slice(0, MAX_LOGGED_KEYS);
  return { characters, keys: keys.map((key) => key.slice(0, MAX_LOGGED_KEY_CHARS)) };
}

function cutLongArguments({ text, value }: CallArguments): unknown {
  if (text.length <= MAX_LOGGED_ARGUMENT_CHARS) return value;
  return { truncated: text.slice(0, MAX_LOGGED_ARGUMENT_CHARS), characters: text.length };
}
