import { type ChatResponse, type FinishReason, readMessageText } from "../../../lib/contract/chat";
import type { SamplingRecord } from "../../../lib/contract/sampling";
import { SAMPLING_LIMITS } from "../../../lib/contract/sampling-limits";
import { getMessage } from "../../../lib/get-message";
import { countUsage } from "../../../lib/run/usage";
import type { OpenCountedModel } from "../../calls/spend/counted-models";
import {
  SamplingFailure,
  type SamplingRequest,
  type SamplingResponder,
  type SamplingResponse,
} from "../../engine/mcp-ports";
import type { Clock, Logger } from "../../engine/ports";
import { withinLimit } from "../../platform/shared/within-limit";
import { readSamplingParams } from "./read-sampling-params";
import { createSamplingBudgets } from "./sampling-budget";
import type { SamplingStore } from "./sampling-store";

/** Error codes of the protocol. */
const REJECTED_BY_USER = -1;
const INTERNAL_ERROR = -32_603;
/** A server in a loop must not fill the database with what was declined or is beyond its budget. */
const KEPT_REFUSALS = 10;
const MAX_REFUSED_CALLS = 1_000;
const MAX_STORED_CHARS = 262_144;
const MAX_MODEL_CHARS = 200;
const MAX_ERROR_CHARS = 1000;

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: "endTurn",
  length: "maxTokens",
  context_length: "maxTokens",
  refusal: "refusal",
  tool_calls: "toolUse",
  pause: "pause",
  other: "other",
};

export interface SamplingServicePorts {
  store: SamplingStore;
  models: { acceptsMedia(provider: string, mimeType: string): boolean };
  openModel: OpenCountedModel;
  clock: Clock;
  logger: Logger;
  timeoutMs?: number;
}

type Outcome = Pick<SamplingRecord, "outcome"> & Partial<SamplingRecord>;

export type SamplingService = ReturnType<typeof createSamplingService>;

/** Answers the sampling requests of servers whose settings name a model or decline, and keeps what was answered. */
export function createSamplingService(ports: SamplingServicePorts) {
  const { store, models, clock, timeoutMs = SAMPLING_LIMITS.timeoutMs } = ports;
  const budgets = createSamplingBudgets({ store, now: clock.now });

  /** Calls whose first refusal is recorded, newest last. */
  const refused = new Set<string>();
  function isFirstRefusal({ executionId }: SamplingRequest): boolean {
    if (refused.has(executionId)) return false;
    refused.add(executionId);
    const [oldest] = refused;
    if (refused.size > MAX_REFUSED_CALLS && oldest !== undefined) refused.delete(oldest);
    return true;
  }

  async function respond(request: SamplingRequest, signal: AbortSignal): Promise<SamplingResponse> {
    const { setting, count } = request;
    const record = startRecord(request);
    if (setting.mode === "decline") {
      if (count <= KEPT_REFUSALS) await record({ outcome: "declined" });
      throw new SamplingFailure(REJECTED_BY_USER, "User rejected sampling request");
    }
    const { provider, model } = setting;
    let release: (() => void) | null = null;
    try {
      release = await budgets.reserve(request, SAMPLING_LIMITS.maxTokens);
      const { response, stopReason, usage } = await askModel(request, provider, model, signal);
      await record({
        outcome: "answered",
        provider,
        model: response.model,
        stopReason,
        responseText: response.content.text.slice(0, MAX_STORED_CHARS),
        inputTokens: usage?.inputTokens ?? null,
        outputTokens: usage?.outputTokens ?? null,
      });
      return response;
    } catch (error) {
      const outcome = signal.aborted ? "cancelled" : "failed";
      const failure = toFailure(error);
      if (release !== null) {
        await record({ outcome, provider, model, error: signal.aborted ? null : failure.message });
      } else if (isFirstRefusal(request)) await record({ outcome, error: failure.message });
      throw failure;
    } finally {
      release?.();
    }
  }

  async function askModel(request: SamplingRequest, provider: string, model: string, signal: AbortSignal) {
    const { paramsText, executionId, actor, source = "api" } = request;
    const client = await ports.openModel({ provider, model, spender: { actor, source }, caller: { executionId } });
    const { messages, options } = readSamplingParams(paramsText, (type) => models.acceptsMedia(provider, type));
    const answer = await withinLimit(
      (limit) =>
        client.getResponse(messages, {
          ...options,
          model,
          requireMedia: true,
          signal: AbortSignal.any([signal, limit]),
        }),
      timeoutMs,
    );
    const { text, stopReason } = readAnswer(answer, options.stopSequences);
    const response: SamplingResponse = {
      role: "assistant",
      content: { type: "text", text },
      model: (answer.model || model).slice(0, MAX_MODEL_CHARS),
      stopReason,
    };
    return { response, stopReason, usage: answer.usage === undefined ? null : countUsage(answer.usage) };
  }

  /** Writes the record, and a line of the execution's log without any text of the messages. */
  function startRecord({ executionId, logger, paramsText }: SamplingRequest) {
    const receivedAt = clock.now();
    const startedAt = clock.elapsed();
    return async (outcome: Outcome): Promise<void> => {
      const record: Omit<SamplingRecord, "id"> = {
        executionId,
        receivedAt,
        durationMs: clock.elapsed() - startedAt,
        requestText: paramsText,
        provider: null,
        model: null,
        responseText: null,
        stopReason: null,
        error: null,
        inputTokens: null,
        outputTokens: null,
        ...outcome,
      };
      await store.add(record).catch((error: unknown) => {
        ports.logger.warn({ err: error, execution_id: executionId }, "A sampling request could not be recorded");
      });
      // Logged after the record, since open pages read the record when the line arrives.
      logOutcome(logger, record);
    };
  }

  const responder: SamplingResponder = { respond };
  return {
    responder,
    /** The sampling requests of a call that a setting answered, oldest first. */
    list: (executionId: string): Promise<SamplingRecord[]> => store.list(executionId),
  };
}

/** @throws SamplingFailure for a response without text */
function readAnswer({ messages, finishReason, finishDetail }: ChatResponse, stopSequences: readonly string[]) {
  const whole = messages.map(readMessageText).join("");
  // Some providers ignore stop sequences, and none reports which of them it found.
  const ends = stopSequences.map((sequence) => whole.indexOf(sequence)).filter((at) => at >= 0);
  const text = ends.length === 0 ? whole : whole.slice(0, Math.min(...ends));
  const stopped = ends.length > 0 || finishDetail === "stop_sequence";
  if (whole === "" && !stopped) {
    throw new SamplingFailure(INTERNAL_ERROR, `The model returned an empty response (${finishDetail || finishReason})`);
  }
  return { text, stopReason: stopped ? "stopSequence" : STOP_REASONS[finishReason] };
}

function toFailure(error: unknown): SamplingFailure {
  // Compares the name, since the error may come from another bundle.
  if (error instanceof Error && error.name === "SamplingFailure") return error as SamplingFailure;
  const message = `The configured model could not answer: ${getMessage(error)}`.slice(0, MAX_ERROR_CHARS);
  return new SamplingFailure(INTERNAL_ERROR, message, { cause: error });
}

function logOutcome(logger: SamplingRequest["logger"], record: Omit<SamplingRecord, "id">): void {
  const { outcome, provider, model, error, inputTokens, outputTokens } = record;
  if (outcome === "declined") logger.warn("Sampling request declined by the server's settings");
  else if (outcome === "failed") logger.error(`Sampling request failed (${provider} / ${model}): ${error}`);
  else if (outcome === "answered") {
    const tokens = inputTokens === null ? "" : `: ${inputTokens} input and ${outputTokens} output tokens`;
    logger.info(`Sampling request answered by ${provider} / ${model}${tokens}`);
  }
}
