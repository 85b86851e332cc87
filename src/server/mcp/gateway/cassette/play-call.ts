import { setTimeout as wait } from "node:timers/promises";
import { ProtocolError, ProtocolErrorCode, type Result } from "@modelcontextprotocol/server";
import type { CassetteCall } from "../../../../lib/cassette/cassette-file";
import type { ToolCallResult } from "../../../../lib/contract/content";
import { isPlainObject } from "../../../../lib/contract/json";
import { equalJson } from "../../../../lib/json/equal-json";
import { keepExactResult } from "../../../../lib/json/exact-text";
import { findMember } from "../../../../lib/json/json-text";
import { keepText } from "../../../../lib/json/known-text";
import { parseJson } from "../../../../lib/parse-in-slices";
import type { Played } from "../../../engine/cassettes/cassette-ports";
import type { InteractionHandler, SentLogMessage } from "../../../engine/ports";
import { withoutServerInfo } from "../call-message";
import { relayedError } from "../relayed-error";

/** Says that a failure is a miss, and what differs, for programs. */
const MISS_KEY = "toolroom/cassette-miss";

interface PlayContext {
  protocol: string;
  signal: AbortSignal;
  progress(progress: number, total: number | null, message: string | null): void;
  /** Absent where the client wants no log messages. */
  log: ((sent: SentLogMessage) => void) | undefined;
  /** Absent where the client cannot be asked. */
  interact: InteractionHandler | undefined;
  /** Called where the client answered differently than in the recording. */
  onMiss(message: string): Promise<void>;
}

/** The answer of a recording, with what happened during the call. @throws ProtocolError where one was recorded */
export async function playRecording(
  { call, questions, isCut }: Extract<Played, { kind: "recorded" }>,
  context: PlayContext,
): Promise<Result> {
  for (const event of call.events) {
    if ("progress" in event) {
      context.progress(event.progress, event.total ?? null, event.message ?? null);
    } else if ("log" in event) {
      context.log?.(event.log);
    } else if (questions === "ask") {
      const answer = (await context.interact?.(event.ask, context.signal)) ?? null;
      if (answer === null || isSameAnswer(answer, event.answer)) continue;
      const message = `The answer to '${event.ask.message.slice(0, 200)}' is not the recorded one: recorded ${formatAnswer(event.answer)}, received ${formatAnswer(answer)}`;
      await context.onMiss(message);
      return missResult(call.kind, message, { recording: null, differences: [] });
    }
  }
  if (call.failed) throw await toError(call, context.protocol);
  const result = withoutServerInfo(await readOutcome(call.outcomeText));
  return isCut ? cutResult(result) : result;
}

export function missResult(
  kind: CassetteCall["kind"],
  message: string,
  { recording, differences }: Pick<Extract<Played, { kind: "missed" }>, "recording" | "differences">,
): Result {
  const miss = { recording, differences };
  if (kind !== "tool") throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, { [MISS_KEY]: miss });
  return { content: [{ type: "text", text: `Cassette miss: ${message}` }], isError: true, _meta: { [MISS_KEY]: miss } };
}

export function faultResult(kind: CassetteCall["kind"]): Result {
  const text = "Injected fault: the call failed, as the faults of this cassette demand";
  if (kind !== "tool") throw new ProtocolError(ProtocolErrorCode.InternalError, text);
  return { content: [{ type: "text", text }], isError: true };
}

/** The time that the faults of a cassette demand. */
export async function delay(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await wait(ms, undefined, { signal });
}

async function toError({ outcomeText }: CassetteCall, protocol: string): Promise<ProtocolError> {
  const { code, message, data } = (await parseJson(outcomeText)) as { code: number; message: string; data?: unknown };
  const span = findMember(outcomeText, 0, "data");
  if (span !== null) keepExactResult(data, outcomeText.slice(span.start, span.end));
  const relayed = relayedError({ code, message, ...(data === undefined ? {} : { data }) }, protocol);
  return relayed ?? new ProtocolError(ProtocolErrorCode.InternalError, message);
}

/** The text is kept, so that the client receives the same bytes. */
async function readOutcome(text: string): Promise<Result> {
  const result = (await parseJson(text)) as Result;
  keepText(result, text);
  return result;
}

/** Form values are compared, the text that a model or user wrote for sampling is too. */
function isSameAnswer(one: { action: string; content?: unknown; text?: unknown }, other: typeof one): boolean {
  if (one.action !== other.action) return false;
  if (one.action !== "accept") return true;
  return equalJson(one.content ?? {}, other.content ?? {}) && (one.text ?? "") === (other.text ?? "");
}

const formatAnswer = ({ action, content }: { action: string; content?: unknown }): string =>
  action === "accept" && content !== undefined ? JSON.stringify(content).slice(0, 200) : action;

/** Texts lose their second half, and structured content is removed. */
function cutResult(result: Result): Result {
  const half = (text: string): string => text.slice(0, Math.floor(text.length / 2));
  const cut = (item: unknown): unknown =>
    isPlainObject(item) && typeof item.text === "string" ? { ...item, text: half(item.text) } : item;
  const { structuredContent: _, ...rest } = result as ToolCallResult;
  return Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, Array.isArray(value) ? value.map(cut) : value]),
  ) as Result;
}
