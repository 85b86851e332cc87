import {
  type ChatErrorKind,
  type ChatMessage,
  type ChatUsage,
  type FunctionCallContent,
  listCalls,
  readMessageText,
} from "../../../lib/contract/chat";
import type { Eval, EvalOffering } from "../../../lib/contract/eval";
import { isPlainObject } from "../../../lib/contract/json";
import { getMessage } from "../../../lib/get-message";
import { addUsage, countUsage } from "../../../lib/run/usage";
import { toChatTool } from "../../../lib/to-chat-tool";
import type { OpenCountedModel } from "../../calls/spend/counted-models";
import type { ChatClient } from "../../engine/agent/chat-ports";
import { parseArguments } from "../../engine/agent/execution-engine";
import { findTextCalls } from "../../engine/agent/text-calls";
import type { Clock } from "../../engine/ports";
import { CALL_TOOL, SEARCH_TOOLS } from "../../engine/toolsets/discovery-names";
import { readToolCall, searchResult } from "../../engine/toolsets/discovery-tools";
import type { PreparedToolset } from "../../engine/toolsets/prepare-toolset";
import { shownTools } from "../../engine/toolsets/resolve-call";
import type { AttemptOutcome, EvalTask } from "./suite-attempt";
import { isOfferedToModels } from "./suite-offer";

export interface SelectionPorts {
  openModel: OpenCountedModel;
  clock: Clock;
}

const INSTRUCTIONS = "Use a tool where the request needs one. Answer briefly.";
/** Searches of a toolset with discovery before the model has to decide. */
const MAX_SEARCHES = 6;
const MAX_ANSWER_TOKENS = 1000;

interface Decision {
  /** Catalog names of the tools that it called first, searches left out; empty where it answered. */
  called: string[];
  searches: number;
  /** Names of tools whose calls the model wrote as text. */
  written: string[];
  usage: ChatUsage;
}

/** An eval: the model is asked once and its calls are not executed, except searches for tools. */
export function toSelectionTask(
  ports: SelectionPorts,
  item: Eval,
  offered: PreparedToolset,
  offering: EvalOffering,
): EvalTask {
  return {
    id: item.id,
    async attempt(request) {
      const { actor, provider, model, round, limitMs, signal } = request;
      const client = await ports.openModel({ provider, model, spender: { actor, source: "test" } });
      const began = ports.clock.elapsed();
      const late = AbortSignal.timeout(limitMs);
      const base = { item: item.id, round, runId: null, runStatus: null };
      const usage: ChatUsage = { inputTokens: 0, outputTokens: 0 };
      const end = (
        reason: string | null,
        called: string[],
        used: ChatUsage,
        fault: AttemptOutcome["fault"] = null,
      ) => ({
        attempt: {
          ...base,
          passed: reason === null,
          reason,
          called,
          durationMs: Math.round(ports.clock.elapsed() - began),
        },
        usage: used,
        fault,
      });
      try {
        const decision = await decide(client, model, item, offered, AbortSignal.any([signal, late]));
        return end(checkDecision(item, decision, offering), decision.called, decision.usage);
      } catch (error) {
        if (signal.aborted) return { attempt: null, usage, fault: null };
        if (late.aborted) return end(`The model took longer than ${Math.round(limitMs / 1000)} s.`, [], usage);
        const kind = error instanceof Error && "kind" in error ? (error.kind as ChatErrorKind) : "unexpected";
        return end(`The model could not be asked: ${getMessage(error)}`, [], usage, {
          kind,
          message: getMessage(error),
        });
      }
    },
  };
}

async function decide(
  client: ChatClient,
  model: string,
  { question, context }: Eval,
  offered: PreparedToolset,
  signal: AbortSignal,
): Promise<Decision> {
  const messages = ask(question, context);
  const tools = shownTools(offered, isOfferedToModels).map(toChatTool);
  let usage: ChatUsage = { inputTokens: 0, outputTokens: 0 };
  for (let searches = 0; ; searches += 1) {
    const response = await client.getResponse(messages, {
      model,
      instructions: INSTRUCTIONS,
      tools,
      toolChoice: "auto" as const,
      signal,
      maxOutputTokens: MAX_ANSWER_TOKENS,
    });
    if (response.usage !== undefined) usage = addUsage(usage, countUsage(response.usage));
    const calls = response.messages.flatMap(listCalls);
    const searched = offered.toolset.discovery ? calls.filter(({ name }) => name === SEARCH_TOOLS) : [];
    const called = calls.filter((call) => !searched.includes(call)).map((call) => findCalled(call, offered));
    if (called.length > 0 || searched.length === 0 || searches >= MAX_SEARCHES) {
      const text = called.length > 0 ? "" : response.messages.map(readMessageText).join("\n");
      return { called, searches, written: findTextCalls(text, tools).map(({ name }) => name), usage };
    }
    const results = searched.map((call) => answerSearch(call, offered));
    messages.push(...response.messages, { role: "tool", contents: results });
  }
}

/** The conversation with the question as it was confirmed in place of the one that was asked. */
function ask(question: string, context: readonly ChatMessage[]): ChatMessage[] {
  const message: ChatMessage = { role: "user", contents: [{ type: "text", text: question }] };
  const at = context.findLastIndex(({ role }) => role === "user");
  return at < 0 ? [message] : context.with(at, message);
}

/** The catalog's name of the called tool; the name in the call where there is none. */
function findCalled(call: FunctionCallContent, { toolset, byName }: PreparedToolset): string {
  const isInner = toolset.discovery && call.name === CALL_TOOL;
  const inner = isInner ? readToolCall(parseArguments(call).args) : null;
  const name = inner?.name ?? call.name;
  return (byName.get(name)?.original.name ?? name).slice(0, 200);
}

function answerSearch(call: FunctionCallContent, offered: PreparedToolset): ChatMessage["contents"][number] {
  const { callId, name } = call;
  const { value } = parseArguments(call).args;
  const result = searchResult(offered, isPlainObject(value) ? value : {}, isOfferedToModels);
  return { type: "function_result", callId, name, result };
}

/** Null when the decision is right, else a sentence that names the error. */
export function checkDecision(
  { expected, forbidden }: Pick<Eval, "expected" | "forbidden">,
  { called, searches, written = [] }: Pick<Decision, "called" | "searches"> & Partial<Pick<Decision, "written">>,
  offering: EvalOffering,
): string | null {
  const bad = called.find((name) => forbidden.includes(name));
  if (bad !== undefined) return `The model called ${bad}, which is forbidden.`;
  if (expected.length === 0) {
    return called.length === 0 ? null : `The model called ${called.join(", ")}, where no call was expected.`;
  }
  if (called.some((name) => expected.includes(name))) return null;
  if (called.length > 0) return `The model called ${called.join(", ")}, not ${expected.join(" or ")}.`;
  if (written.length > 0) {
    return `The model wrote a call of ${written.join(", ")} as text, which its provider did not recognize as a call.`;
  }
  if (offering === "discovery" && searches > 0) return `The model searched ${searches} times and called no tool.`;
  return `The model answered without a call of ${expected.join(" or ")}.`;
}
