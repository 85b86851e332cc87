import { ProtocolError } from "@modelcontextprotocol/client";
import type { SamplingRequest, SamplingResponse } from "../../../engine/mcp-ports";
import type { RunningToolCall } from "../session/running-tool-calls";
import { abortable } from "../wait";
import { askDuringCall, type RequestOrigin } from "./ask-during-call";

const INVALID_REQUEST = -32_600;

/**
 * Answers a sampling request as the server's settings say, without asking the caller or a person.
 * @throws ProtocolError for the server
 */
export async function answerSampling(
  setting: SamplingRequest["setting"],
  paramsText: string,
  origin: RequestOrigin,
): Promise<SamplingResponse> {
  const { session } = origin;
  const call = origin.call ?? findLeastCharged(session.calls);
  if (call === null) {
    throw new ProtocolError(INVALID_REQUEST, "Sampling requests are answered only while a tool call runs");
  }
  call.samplingRequests += 1;
  const { executionId, logger } = call.context;
  const request = { executionId, logger, count: call.samplingRequests, setting, paramsText };
  const calls = [...session.calls];
  try {
    return await askDuringCall(origin, async (askSignal) => {
      const signal = origin.call === null ? AbortSignal.any([askSignal, whenAllEnded(calls)]) : askSignal;
      return await abortable(session.options.sampling.respond(request, signal), signal);
    });
  } catch (error) {
    const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown };
    if (name === "SamplingFailure") throw new ProtocolError(Number(code), String(message));
    throw error;
  }
}

/** A server that does not name the call: each of them may have as many requests. */
function findLeastCharged(calls: Iterable<RunningToolCall>): RunningToolCall | null {
  const [first, ...others] = calls;
  if (first === undefined) return null;
  return others.reduce((least, call) => (call.samplingRequests < least.samplingRequests ? call : least), first);
}

/** Aborts when each of the calls, any of which may wait, has ended. */
function whenAllEnded(calls: Iterable<RunningToolCall>): AbortSignal {
  const controller = new AbortController();
  const ends = Array.from(calls, ({ ended }) => new Promise((resolve) => ended.addEventListener("abort", resolve)));
  void Promise.all(ends).then(() => controller.abort("the calls ended"));
  return controller.signal;
}
