import { type ChatContent, type ChatMessage, listCalls, readMessageText } from "../../../lib/contract/chat";
import type { EvalCandidate, EvalOrigin } from "../../../lib/contract/eval";
import type { RunEvent, RunSettings } from "../../../lib/contract/run";
import { buildMessagesBeforeStep } from "../../../lib/run/build-messages";
import { parseArguments } from "../../engine/agent/execution-engine";
import { CALL_TOOL, SEARCH_TOOLS } from "../../engine/toolsets/discovery-names";
import { readToolCall } from "../../engine/toolsets/discovery-tools";
import type { PreparedToolset } from "../../engine/toolsets/prepare-toolset";

export interface DecidedRun {
  id: string;
  title: string;
  settings: RunSettings;
  events: readonly RunEvent[];
}

export interface Decision extends EvalCandidate {
  /** The conversation before it; empty where that is the question alone. */
  context: ChatMessage[];
}

const MAX_QUESTION_CHARS = 4000;
/** A longer conversation before a decision does not make a good eval. */
const MAX_CONTEXT_CHARS = 64_000;

/** The decisions of a run's model: each response that calls tools, with the conversation that it had. */
export function findDecisions(
  { id, title, settings, events }: DecidedRun,
  prepare: (toolset: string) => PreparedToolset | null,
): Decision[] {
  const toolset = settings.tools.mode === "toolset" ? settings.tools.toolset : null;
  const prepared = toolset === null ? null : prepare(toolset);
  const failed = new Set(
    events.flatMap((event) =>
      event.type === "tool_finished" && event.status !== "succeeded" ? [`${event.step} ${event.callId}`] : [],
    ),
  );
  return events.flatMap((event): Decision[] => {
    if (event.type !== "model_finished" || event.partial === true) return [];
    const calls = listCalls(event.message);
    const called = calls.flatMap((call) => {
      if (call.name === SEARCH_TOOLS) return [];
      const inner = call.name === CALL_TOOL ? readInnerName(call.arguments, call.callId) : call.name;
      return inner === null ? [] : [prepared?.byName.get(inner)?.original.name ?? inner];
    });
    if (called.length === 0) return [];
    const messages = buildMessagesBeforeStep(events, event.step);
    const asked = messages.findLast(({ role }) => role === "user");
    const question = asked === undefined ? "" : readMessageText(asked).trim();
    if (question === "" || question.length > MAX_QUESTION_CHARS) return [];
    const context = messages.length > 1 ? messages.map(withoutMedia) : [];
    if (context.length > 0 && JSON.stringify(context).length > MAX_CONTEXT_CHARS) return [];
    const origin: EvalOrigin = { runId: id, step: event.step };
    const hasFailed = calls.some(({ callId }) => failed.has(`${event.step} ${callId}`));
    const facts = { runTitle: title, at: event.at, question, called: [...new Set(called)], hasFailed, toolset };
    return [{ origin, ...facts, contextMessages: Math.max(0, messages.length - 1), context }];
  });
}

function readInnerName(given: Parameters<typeof parseArguments>[0]["arguments"], callId: string): string | null {
  const { args } = parseArguments({ type: "function_call", callId, name: CALL_TOOL, arguments: given });
  return readToolCall(args)?.name ?? null;
}

/** Removes media, which are in executions, and parts that only one provider understands. */
function withoutMedia({ role, contents }: ChatMessage): ChatMessage {
  return {
    role,
    contents: contents.flatMap((content): ChatContent[] => {
      if (content.type === "function_result") {
        const { items: _items, app: _app, executionId: _execution, ...result } = content;
        return [result];
      }
      return content.type === "text" || content.type === "function_call" ? [content] : [];
    }),
  };
}
