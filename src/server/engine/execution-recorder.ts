import type { ExecutionEnvelope, FailureEnvelope, ToolCallResult, ToolDefinition } from "../../lib/contract";
import { serverOf } from "../../lib/contract/tool-definition";
import { loggable, textOf } from "./argument-text";
import { cutAtChars, failureText } from "./output-limits";
import type { ExecutionEnd, ExecutionJournal, ExecutionLimits, ExecutionStart, Logger } from "./ports";
import { hasSensitiveFields, redactArguments } from "./redact";
import type { RunningCall } from "./running-call";
import { storedResult } from "./stored-result";
import { errorTextOf, textOfToolResult } from "./tool-call-result";
import type { Verdict } from "./verdict";

/** Of the error's sentence; the answer that it was taken from is kept whole. */
const MAX_ERROR_CHARS = 10_000;

interface RecorderPorts {
  journal?: ExecutionJournal | undefined;
  logger: Logger;
  limits: ExecutionLimits;
}

/** Writes a call down: the journal's rows, the log line, and the envelope that the caller gets. */
export class ExecutionRecorder {
  readonly #ports: RecorderPorts;
  /** Definitions are frozen and long-lived; what follows from them is worked out once. */
  readonly #sensitive = new WeakMap<ToolDefinition, boolean>();
  readonly #mockTexts = new WeakMap<ToolDefinition, string>();

  constructor(ports: RecorderPorts) {
    this.#ports = ports;
  }

  /** The result with its JSON text, or a failure when it has none. */
  succeed(definition: ToolDefinition, value: unknown): Verdict {
    const result = value === undefined ? null : value;
    try {
      const known = definition.implementation.type === "mock" ? this.#mockTexts.get(definition) : undefined;
      const resultText = known ?? JSON.stringify(result);
      if (resultText === undefined) throw new TypeError(`a ${typeof result} is not JSON`);
      if (known === undefined && definition.implementation.type === "mock") this.#mockTexts.set(definition, resultText);
      if (definition.implementation.type === "mcp") return judgeToolResult(result as ToolCallResult, resultText);
      return { success: true, result, resultText };
    } catch (error) {
      const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
      return {
        success: false,
        status: "failed",
        error_kind: "tool_error",
        error: `The tool returned a value that cannot be written as JSON: ${reason}`,
      };
    }
  }

  /** Null when nothing has to be waited for; else a promise of null (recorded) or of the envelope that refuses the call. */
  begin(call: RunningCall, args: unknown): Promise<ExecutionEnvelope | null> | null {
    const { journal } = this.#ports;
    if (journal === undefined) return null;
    const begun = journal.begin(this.#start(call, args));
    return begun.then(
      () => {
        call.begun = true;
        call.markRecorded();
        return null;
      },
      (error: unknown) => {
        const verdict = notRecorded(`The call could not be recorded, so the tool was not run: ${reasonOf(error)}`);
        this.#log(call, args, verdict, error);
        return envelope(call, verdict);
      },
    );
  }

  finish(call: RunningCall, args: unknown, verdict: Verdict): ExecutionEnvelope | Promise<ExecutionEnvelope> {
    this.#log(call, args, verdict);
    const { journal } = this.#ports;
    if (journal === undefined) return envelope(call, verdict);
    // The start was handed over when the call began; its text is not needed to end the row.
    const start = this.#start(call, undefined);
    return journal.finish(start, this.#end(call, verdict)).then(
      () => envelope(call, verdict),
      (error: unknown) => {
        const ran = verdict.success ? "The tool ran, but its result" : `The tool failed (${verdict.error}), and this`;
        const unrecorded = notRecorded(`${ran} could not be recorded: ${reasonOf(error)}`);
        this.#log(call, args, unrecorded, error);
        const answer = envelope(call, unrecorded) as FailureEnvelope;
        return verdict.success ? { ...answer, unrecorded_result: verdict.result } : answer;
      },
    );
  }

  /** A call that waited runs now. Null when it may; else the envelope that refuses it. */
  async proceed(call: RunningCall, args: unknown, edited: boolean): Promise<ExecutionEnvelope | null> {
    const { journal } = this.#ports;
    if (journal === undefined) return null;
    const proceeding = { startedAt: call.now(), ...(edited ? { argumentsText: textOf(args) } : {}) };
    try {
      if (await journal.proceed(this.#start(call, undefined), proceeding)) return null;
      // Its row is somebody else's by now, so nothing is written.
      return this.leave(
        call,
        args,
        notRecorded("The call no longer waits: it was decided elsewhere, and is not run twice"),
      );
    } catch (error) {
      const verdict = notRecorded(
        `The approved call could not be recorded, so the tool was not run: ${reasonOf(error)}`,
      );
      return await this.finish(call, args, verdict);
    }
  }

  /** Answers the caller and leaves the call's row as it is: it still waits. */
  leave(call: RunningCall, args: unknown, verdict: Verdict): ExecutionEnvelope {
    this.#log(call, args, verdict);
    return envelope(call, verdict);
  }

  /** One row for a call that did not reach its tool. */
  neverRan(call: RunningCall, args: unknown, verdict: Verdict): ExecutionEnvelope | Promise<ExecutionEnvelope> {
    if (call.begun) {
      // The end of the server ends no call that waits for a person: it goes on after the next start.
      const stays = !verdict.success && verdict.status === "interrupted";
      return stays ? this.leave(call, args, verdict) : this.finish(call, args, verdict);
    }
    this.#log(call, args, verdict);
    const { journal } = this.#ports;
    if (journal === undefined) return envelope(call, verdict);
    return journal.record(this.#start(call, args), this.#end(call, verdict)).then(
      () => envelope(call, verdict),
      (error: unknown) => {
        const said = verdict.success ? "" : ` (${verdict.error})`;
        return envelope(call, notRecorded(`The refused call${said} could not be recorded: ${reasonOf(error)}`));
      },
    );
  }

  /** A fault of ours, or arguments that no program can read. Logged with its stack, recorded, answered without detail. */
  async unexpected(call: RunningCall, args: unknown, error: unknown): Promise<ExecutionEnvelope> {
    const reason = error instanceof RangeError ? error.message : "see the server's log";
    const verdict: Verdict = {
      success: false,
      status: "failed",
      error_kind: "unexpected",
      error: `The call could not be carried out: ${reason}`,
      stack: error instanceof Error ? error.stack : String(error),
    };
    try {
      return await this.neverRan(call, args, verdict);
    } catch (second) {
      const stack = second instanceof Error ? second.stack : String(second);
      this.#ports.logger.error(
        { execution_id: call.executionId, tool: call.toolName, stack },
        "Nothing could be recorded",
      );
      return envelope(call, verdict);
    }
  }

  #start(call: RunningCall, args: unknown): ExecutionStart {
    const { options, definition } = call;
    return {
      id: call.executionId,
      toolName: call.toolName,
      definition,
      implementationType: definition?.implementation.type ?? null,
      source: call.source,
      actor: call.actor,
      client: options.client ?? null,
      protocol: options.protocol ?? null,
      serverName: definition === null ? null : serverOf(definition),
      argumentsText: args === undefined ? "" : textOf(args),
      queuedAt: call.queuedAt,
      validateMs: call.validateMs,
      timeoutMs: call.timeoutMs,
      validationSkipped: options.skipValidation === true,
      parentId: options.parentId ?? null,
      runId: options.runId ?? null,
      callId: options.callId ?? null,
      waiting: call.asking,
      ...(call.asking && call.request !== null ? { request: call.request } : {}),
    };
  }

  #end(call: RunningCall, verdict: Verdict): ExecutionEnd {
    const { limits } = this.#ports;
    const { definition } = call;
    const maxModelChars = definition?.max_model_chars ?? limits.maxModelChars;
    const maxStoredBytes = definition?.max_stored_bytes ?? limits.maxStoredBytes;
    const common = {
      id: call.executionId,
      startedAt: call.startedAt,
      finishedAt: Math.round(
        call.queuedAt + (call.validateMs ?? 0) + (call.recordMs ?? 0) + call.waitedMs + (call.runMs ?? 0),
      ),
      executionTimeMs: call.executionTimeMs,
      recordMs: call.recordMs,
      runMs: call.runMs,
      logs: call.logs.length > 0 ? call.logs : null,
    };
    if (!verdict.success) {
      const chars = failureText(verdict).length;
      return {
        ...common,
        status: verdict.status,
        ...storedResult(verdict, maxStoredBytes),
        modelChars: Math.min(chars, maxModelChars),
        resultChars: chars,
        error: verdict.error,
        errorKind: verdict.error_kind,
        faults: verdict.faults ?? null,
        limit: verdict.limit ?? null,
      };
    }
    const modelText = verdict.modelText ?? (typeof verdict.result === "string" ? verdict.result : verdict.resultText);
    const resultChars = modelText.length;
    return {
      ...common,
      status: "succeeded",
      ...storedResult(verdict, maxStoredBytes),
      modelChars: Math.min(resultChars, maxModelChars),
      resultChars,
      error: null,
      errorKind: null,
      faults: null,
      limit: null,
    };
  }

  #log(call: RunningCall, args: unknown, verdict: Verdict, cause?: unknown): void {
    const { logger, limits } = this.#ports;
    const executionTimeMs = call.executionTimeMs;
    if (executionTimeMs > limits.slowMs) {
      logger.warn(
        { execution_id: call.executionId, tool: call.toolName, execution_time_ms: executionTimeMs },
        `Tool '${call.toolName}' is slow: ${Math.round(executionTimeMs)} ms`,
      );
    }
    if (logger.isLevelEnabled?.("error") === false) return;
    if (verdict.success && logger.isLevelEnabled?.("info") === false) return;
    const fields = {
      execution_id: call.executionId,
      tool: call.toolName,
      arguments: this.#loggableArguments(call.definition, args),
      status: verdict.success ? "succeeded" : verdict.status,
      result_chars: verdict.success ? verdict.resultText.length : null,
      execution_time_ms: executionTimeMs,
      source: call.source,
      actor: call.actor.id,
    };
    if (verdict.success) {
      logger.info(fields, "Tool executed");
      return;
    }
    const stack = verdict.stack ?? (cause instanceof Error ? cause.stack : undefined);
    const failed = { ...fields, error: verdict.error, error_kind: verdict.error_kind };
    if (stack === undefined) logger.info(failed, "Tool execution failed");
    else logger.error({ ...failed, stack }, "Tool execution failed");
  }

  #loggableArguments(definition: ToolDefinition | null, args: unknown): unknown {
    if (definition === null) return loggable(args);
    let sensitive = this.#sensitive.get(definition);
    if (sensitive === undefined) {
      sensitive = hasSensitiveFields(definition.parameters);
      this.#sensitive.set(definition, sensitive);
    }
    return loggable(sensitive ? redactArguments(args, definition.parameters) : args);
  }
}

function envelope(call: RunningCall, verdict: Verdict): ExecutionEnvelope {
  const common = {
    tool_name: call.toolName,
    execution_time_ms: call.executionTimeMs,
    execution_id: call.executionId,
  };
  if (verdict.success) return { success: true, result: verdict.result, status: "succeeded", ...common };
  const { stack: _stack, resultText: _resultText, ...said } = verdict;
  return { ...said, ...common };
}

/** An answer with `isError` is a failure that carries the server's text, and the answer itself (ERR-04). */
function judgeToolResult(result: ToolCallResult, resultText: string): Verdict {
  if (result.isError !== true) return { success: true, result, resultText, modelText: textOfToolResult(result) };
  const error = cutAtChars(errorTextOf(result), MAX_ERROR_CHARS).text;
  return { success: false, status: "failed", error_kind: "tool_error", error, result, resultText };
}

function notRecorded(error: string): Verdict {
  return { success: false, status: "failed", error_kind: "not_recorded", error };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : "the logbook did not say why";
}
