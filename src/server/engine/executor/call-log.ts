import type { ErrorKind } from "../../../lib/contract/envelope";
import { isPlainObject } from "../../../lib/contract/json";
import type { ExecutionLimits, Logger } from "../ports";
import { CallArguments } from "./call-arguments";
import type { CallFailure, CallOutcome } from "./call-outcome";
import { cutAtChars } from "./output-limits";
import type { RunningCall } from "./running-call";

const MAX_LOGGED_ARGUMENT_CHARS = 4000;
const MAX_LOGGED_KEYS = 20;
const MAX_LOGGED_KEY_CHARS = 64;
/** The length of a log line; the execution has the whole text. */
const MAX_ERROR_CHARS = 2000;

/** The tool, or what it depends on, failed; other failures without a stack are refusals and cancellations. */
const UPSTREAM_KINDS: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["tool_error", "unavailable", "timeout"]);

interface CallLogPorts {
  logger: Logger;
  limits: Pick<ExecutionLimits, "slowMs">;
}

/** The log lines of calls, without secrets: sensitive arguments, and text that a server or an unknown tool was sent. */
export class CallLog {
  readonly #ports: CallLogPorts;

  constructor(ports: CallLogPorts) {
    this.#ports = ports;
  }

  /** One line for a call that ended, a warning for a slow one. */
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

  /** A result that a server sent may hold secrets, so its text stays in the execution. */
  toLoggedError(call: RunningCall, outcome: CallFailure): string {
    const { error, error_kind, result } = outcome;
    if (error_kind === "tool_error" && result !== undefined) {
      return `The tool returned an error of ${error.length} characters: see the execution`;
    }
    return this.#withoutSecrets(call, error);
  }

  /** Without masked values, which tools repeat in their errors. */
  #withoutSecrets({ mask }: RunningCall, text: string): string {
    return cutAtChars(mask.text(text), MAX_ERROR_CHARS).text;
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
