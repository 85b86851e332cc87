import type { ChatMessage, ChatUsage, FunctionCallContent } from "../../src/lib/contract/chat";
import type { RunEvent } from "../../src/lib/contract/run";
import { toFunctionResult } from "../../src/server/engine/agent/function-result";
import { DEFAULT_LIMITS } from "../../src/server/engine/executor/call-limit";
import { finishedCall } from "../../src/server/features/runs/execution-result";
import type { LiveRun } from "../../src/server/features/runs/live-run";
import type { createCallWriter } from "./agent-calls";
import { DEMO } from "./agent-tools";
import { newPastId } from "./past-calls";
import type { Random } from "./random";
import type { PastCall, PastRun, PastStep } from "./read-stories";

export type CallWriter = ReturnType<typeof createCallWriter>;

/** Tokens of the instructions and of each tool's description. */
const BASE_TOKENS = 240;
const TOOL_TOKENS = 96;

/** A seeded run while it is written, with its own clock. */
export interface RunInProgress {
  past: PastRun;
  run: LiveRun;
  clock: { at: number };
  random: Random;
  iteration: number;
  /** Characters of the model's input so far. */
  chars: number;
  /** Input tokens that the provider cached with the previous request. */
  cached: number;
  parentEvents: readonly RunEvent[];
  writeCall: CallWriter;
  /** Tools in the catalog. */
  toolCount: number;
}

/**
 * Appends one model response and its calls to the run.
 * @param stopped a user stopped the model in the middle of its text
 */
export async function writeStep(
  writing: RunInProgress,
  { ms, text, reasoning, notices, error, calls }: PastStep,
  stopped: boolean,
): Promise<void> {
  const { run, clock, past, random } = writing;
  const { provider, model } = past.settings;
  const step = run.step + 1;
  const toolCount = countTools(past, calls, writing.toolCount);
  writing.iteration += 1;
  const { iteration } = writing;
  void run.append({ type: "model_started", step, iteration, toolChoice: "auto", toolCount, provider, model });
  for (const notice of notices) void run.append({ type: "notice", step, ...notice });
  clock.at += ms;
  if (error !== undefined) {
    const { kind: errorKind, message } = error;
    void run.append({ type: "model_failed", step, errorKind, error: message, durationMs: ms });
    return;
  }
  const requests = calls.map((call) => ({ call, content: toContent(call, random) }));
  const message: ChatMessage = { role: "assistant", contents: requests.map(({ content }) => content) };
  if (text !== "") message.contents.unshift({ type: "text", text });
  if (reasoning !== undefined) message.contents.unshift({ type: "reasoning", text: reasoning });
  const counted = countTokens(writing, message, toolCount);
  // The demo model counts no tokens.
  const usage = provider === DEMO.provider ? {} : { usage: counted };
  void run.append({
    type: "model_finished",
    step,
    message,
    ...(stopped
      ? { finishReason: "other", finishDetail: "stopped", partial: true }
      : { finishReason: calls.length > 0 ? "tool_calls" : "stop", ...usage, model }),
    firstTokenMs: Math.round(Math.min(ms * 0.6, 380 + ms * 0.12)),
    durationMs: ms,
  });
  await writeCalls(writing, requests);
}

/** The calls of one response start together and end at different times. */
async function writeCalls(
  writing: RunInProgress,
  requests: readonly { call: PastCall; content: FunctionCallContent }[],
): Promise<void> {
  const { run, clock, past, random } = writing;
  const { step } = run;
  const source = past.source === "background" || past.source === "check" ? past.source : "agent";
  const startedAt = clock.at + 2;
  const at = Math.round(startedAt);
  clock.at = startedAt;
  const written = [];
  for (const { call, content } of requests) {
    if (call.recorded === true) {
      repeatCall(writing, call, content);
      continue;
    }
    const { callId, name } = content;
    const executionId = newPastId(at, random);
    const known = { callId, name, argumentsText: JSON.stringify(call.args), executionId };
    void run.append({ type: "tool_started", step, ...known });
    if (call.approval !== undefined) void run.append({ type: "approval_requested", step, callId, name });
    const origin = { source, actor: past.actor, client: null, runId: run.id, callId, parentId: null } as const;
    written.push({ content, ...(await writing.writeCall(call, executionId, at, origin)) });
  }
  for (const { content, envelope, definition, tookMs } of written.sort((a, b) => a.tookMs - b.tookMs)) {
    if (envelope === null) continue;
    clock.at = Math.max(clock.at, startedAt + tookMs);
    const result = toFunctionResult(content, envelope, definition ?? undefined, DEFAULT_LIMITS.maxModelChars);
    writing.chars += (result.result ?? result.exception?.message ?? "").length;
    void run.append(finishedCall(step, result));
  }
  clock.at += 3;
}

/** Answers a call with the result in the parent's log. */
function repeatCall(
  { run, parentEvents }: RunInProgress,
  { tool, result }: PastCall,
  { callId, name }: FunctionCallContent,
) {
  const earlier = parentEvents.find((event) => event.type === "tool_finished" && event.name === tool);
  const found = earlier?.type === "tool_finished" ? earlier : undefined;
  const executionId = found?.executionId ?? undefined;
  const durationMs = found?.durationMs ?? undefined;
  const common = { type: "function_result" as const, callId, name, executionId, durationMs };
  void run.append(finishedCall(run.step, { ...common, result: JSON.stringify(result) }, true));
}

function countTools({ settings: { tools } }: PastRun, calls: readonly PastCall[], all: number): number {
  if (calls.some(({ provided }) => provided !== undefined)) return 1;
  return tools.mode === "all" ? all : tools.mode === "some" ? tools.tools.length : 0;
}

function toContent({ tool, args }: PastCall, random: Random): FunctionCallContent {
  return { type: "function_call", callId: `call_${random.letters(20)}`, name: tool, arguments: JSON.stringify(args) };
}

/** Roughly as providers count: four characters are a token. */
function countTokens(writing: RunInProgress, message: ChatMessage, tools: number): ChatUsage {
  const inputTokens = Math.round(BASE_TOKENS + tools * TOOL_TOKENS + writing.chars / 4);
  const thought = message.contents.reduce((sum, part) => sum + (part.type === "reasoning" ? part.text.length : 0), 0);
  const written = JSON.stringify(message.contents).length;
  const cachedInputTokens = writing.cached;
  writing.cached = Math.floor(inputTokens / 128) * 128;
  writing.chars += written;
  return {
    inputTokens,
    outputTokens: Math.round(written / 4 + thought / 2),
    ...(cachedInputTokens > 0 ? { cachedInputTokens } : {}),
    ...(thought > 0 ? { reasoningTokens: Math.round((thought * 3) / 4) } : {}),
  };
}
