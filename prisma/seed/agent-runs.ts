import {
  type ChatMessage,
  type ChatUsage,
  type FunctionCallContent,
  type RunEvent,
  textOfMessage,
} from "../../src/lib/contract";
import { DEFAULT_LIMITS } from "../../src/server/engine/execution-limits";
import { exceptionResult, toFunctionResult } from "../../src/server/engine/function-result";
import { finishedCall } from "../../src/server/features/runs/finished-call";
import { LiveRun } from "../../src/server/features/runs/live-run";
import type { RunStore } from "../../src/server/features/runs/run-store";
import type { createCallWriter } from "./agent-calls";
import { executionIdAt, type PlannedRun, type PlannedStep, type PlannedToolCall } from "./agent-plan";
import { DEMO, priceOf } from "./agent-tools";
import { createRandom, type Random } from "./random";

interface RunWriterPorts {
  runs: RunStore;
  calls: ReturnType<typeof createCallWriter>;
  /** How many tools the catalogue has. */
  toolCount: number;
}

const TITLE_CHARS = 120;
/** Instructions and the descriptions of tools, in tokens. */
const TOKENS_BEFORE = 240;
const TOKENS_A_TOOL = 96;

/** A run of the past while it is being written down: its own clock, and what was said so far. */
interface Writing {
  plan: PlannedRun;
  run: LiveRun;
  clock: { at: number };
  random: Random;
  iteration: number;
  /** Characters that the model has to read. */
  chars: number;
  /** Tokens of the request before, which its provider still has. */
  cached: number;
  parentEvents: readonly RunEvent[];
}

/** Writes runs through the product's own record of a live run, at another time. */
export function createRunWriter({ runs, calls, toolCount }: RunWriterPorts) {
  async function begin(plan: PlannedRun): Promise<Writing> {
    const { id, at, source, actor, settings, parent } = plan;
    const parentEvents = parent === undefined ? [] : await runs.events(parent.id);
    const kept = parent === undefined ? [] : eventsBefore(parentEvents, parent.step);
    const title = (plan.title ?? plan.turns[0]?.text ?? titleOf(kept)).trim().replace(/\s+/gu, " ");
    const created = {
      ...{ id, source, actor, settings, status: "running" as const, title: title.slice(0, TITLE_CHARS), startedAt: at },
      ...{ parentId: parent?.id ?? null, parentStep: parent?.step ?? null, parentResults: parent?.results ?? null },
      transcriptId: plan.transcriptId ?? null,
    };
    await runs.create(created, kept);
    const stored = await runs.find(id);
    if (stored === null) throw new Error(`Run ${id} was not kept`);
    const clock = { at };
    const run = new LiveRun(stored, kept, {
      store: runs,
      clock: { now: () => Math.round(clock.at), elapsed: () => clock.at },
      publish: () => undefined,
      price: priceOf,
    });
    const chars = kept.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
    return { plan, run, clock, random: createRandom(at), iteration: 0, chars, cached: 0, parentEvents };
  }

  async function writeStep(writing: Writing, step: PlannedStep): Promise<void> {
    const { run, clock, plan } = writing;
    const { provider, model } = plan.settings;
    const number = run.step + 1;
    writing.iteration += 1;
    const { iteration } = writing;
    const offered = toolsOffered(plan, step, toolCount);
    void run.append({
      ...{ type: "model_started", step: number, iteration, toolChoice: "auto", toolCount: offered, provider, model },
    });
    for (const { notice, text } of step.notices ?? []) void run.append({ type: "notice", step: number, notice, text });
    clock.at += step.ms;
    if (step.fault !== undefined) {
      const { kind: errorKind, message: error } = step.fault;
      void run.append({ type: "model_failed", step: number, errorKind, error, durationMs: Math.round(step.ms) });
      return;
    }
    const asked = (step.calls ?? []).map((call) => toContent(call, writing.random));
    const message = messageOf(step, asked);
    const counted = usageOf(writing, message, offered);
    // The demo model counts no tokens.
    const usage = provider === DEMO.provider ? {} : { usage: counted };
    void run.append({
      ...{ type: "model_finished", step: number, message },
      ...(step.stopped
        ? { finishReason: "other", finishDetail: "stopped", partial: true }
        : { finishReason: asked.length > 0 ? "tool_calls" : "stop", ...usage, model }),
      firstTokenMs: Math.round(Math.min(step.ms * 0.6, 380 + step.ms * 0.12)),
      durationMs: Math.round(step.ms),
    });
    await writeCalls(writing, step.calls ?? [], asked);
  }

  /** Calls of one answer begin together and end when each of them does. */
  async function writeCalls(
    writing: Writing,
    planned: readonly PlannedToolCall[],
    asked: readonly FunctionCallContent[],
  ): Promise<void> {
    const { run, clock, plan, random } = writing;
    const began = clock.at + 2;
    const written = [];
    for (const [at, call] of planned.entries()) {
      const content = asked[at];
      if (content === undefined) continue;
      const origin = {
        source: plan.source === "background" ? ("background" as const) : ("agent" as const),
        ...{ actor: plan.actor, client: null, runId: run.id, callId: content.callId },
      };
      const earlier = call.recorded === true ? executionOf(writing.parentEvents, call.tool) : null;
      const executionId = earlier ?? executionIdAt(Math.round(began), random);
      const known = { callId: content.callId, name: content.name, argumentsText: JSON.stringify(call.args) };
      clock.at = began;
      if (call.recorded === true) {
        written.push({ call, content, executionId, envelope: null, definition: null, tookMs: 0, ranMs: 0 });
        continue;
      }
      void run.append({
        ...{ type: "tool_started", step: run.step, ...known, executionId, approval: call.approval !== undefined },
      });
      written.push({
        call,
        content,
        executionId,
        ...(await calls.write(call, executionId, Math.round(began), origin)),
      });
    }
    for (const { call, content, executionId, envelope, definition, tookMs, ranMs } of written.sort(byEnd)) {
      if (call.recorded !== true && envelope === null) continue;
      clock.at = Math.max(clock.at, began + tookMs);
      const result =
        envelope === null
          ? { ...recorded(call, content), executionId }
          : toFunctionResult(content, envelope, definition ?? undefined, DEFAULT_LIMITS.maxModelChars);
      writing.chars += (result.result ?? result.exception?.message ?? "").length;
      void run.append(finishedCall(run.step, result, ranMs, call.recorded));
    }
    clock.at += 3;
  }

  return {
    /** False where it is there already. */
    async write(plan: PlannedRun): Promise<boolean> {
      if ((await runs.find(plan.id)) !== null) return false;
      const writing = await begin(plan);
      const { run, clock } = writing;
      for (const { text, pauseMs, steps, end } of plan.turns) {
        clock.at += pauseMs;
        writing.iteration = 0;
        if (text !== null) {
          writing.chars += text.length;
          void run.append({ type: "user_message", message: { role: "user", contents: [{ type: "text", text }] } });
        }
        for (const step of steps) await writeStep(writing, step);
        if (end !== null) void run.append({ type: "turn_ended", ...end });
      }
      await run.settled();
      if (run.fault !== null) throw run.fault;
      return true;
    },
  };
}

/** What a rerun keeps of the run that it repeats. */
function eventsBefore(events: readonly RunEvent[], step: number): RunEvent[] {
  const at = events.findIndex((event) => event.type === "model_started" && event.step === step);
  const kept = events.slice(0, Math.max(at, 0)).filter(({ type }) => type !== "turn_ended" && type !== "resumed");
  return kept.map((event, index) => ({ ...event, index }));
}

function executionOf(events: readonly RunEvent[], tool: string): string | null {
  const finished = events.find((event) => event.type === "tool_finished" && event.name === tool);
  return finished?.type === "tool_finished" ? finished.executionId : null;
}

function titleOf(events: readonly RunEvent[]): string {
  const first = events.find((event) => event.type === "user_message");
  return first?.type === "user_message" ? textOfMessage(first.message) : "A run";
}

function toolsOffered({ settings: { tools } }: PlannedRun, { calls = [] }: PlannedStep, all: number): number {
  if (calls.some(({ provided }) => provided !== undefined)) return 1;
  return tools.mode === "all" ? all : tools.mode === "none" ? 0 : tools.tools.length;
}

function toContent({ tool, args }: PlannedToolCall, random: Random): FunctionCallContent {
  return { type: "function_call", callId: `call_${random.letters(20)}`, name: tool, arguments: JSON.stringify(args) };
}

function messageOf({ reasoning, text }: PlannedStep, calls: readonly FunctionCallContent[]): ChatMessage {
  const contents: ChatMessage["contents"] = [];
  if (reasoning !== undefined) contents.push({ type: "reasoning", text: reasoning });
  if (text !== undefined) contents.push({ type: "text", text });
  return { role: "assistant", contents: [...contents, ...calls] };
}

/** Tokens as providers count them, near enough: four characters each. */
function usageOf(writing: Writing, message: ChatMessage, tools: number): ChatUsage {
  const inputTokens = Math.round(TOKENS_BEFORE + tools * TOKENS_A_TOOL + writing.chars / 4);
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

function recorded(call: PlannedToolCall, content: FunctionCallContent) {
  if (call.error !== undefined) return exceptionResult(content, call.error.kind, call.error.message);
  const result = typeof call.result === "string" ? call.result : JSON.stringify(call.result ?? null);
  return { type: "function_result" as const, callId: content.callId, name: content.name, result };
}

function byEnd(one: { tookMs: number }, other: { tookMs: number }): number {
  return one.tookMs - other.tookMs;
}
