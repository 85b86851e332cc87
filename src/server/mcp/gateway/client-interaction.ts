import { randomUUID } from "node:crypto";
import type { InteractionAnswer } from "../../../lib/contract/interaction";
import { isPlainObject } from "../../../lib/contract/json";
import { readDeclaredExtensions } from "../../../lib/mcp-extensions";
import type { CallerRequest } from "../../engine/ports";
import type { CallContext } from "../fast-path/call-context";
import { ANY_RESULT } from "../fast-path/sdk-results";

/** A user may take a day; the call's time limit is paused for that time. */
const ANSWER_LIMIT_MS = 86_400_000;
/** The code that clients send when their user refuses a sampling request. */
const REFUSED = -1;

/** The code of a question that the client can no longer answer. */
export const CLIENT_GONE = -32_000;

/** Whether a client declares that it can answer such a question. */
export function capabilityFor(request: CallerRequest, capabilities: unknown): boolean {
  const of = (value: unknown, key: string): unknown =>
    isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  const elicitation = of(capabilities, "elicitation");
  switch (request.kind) {
    case "form":
      // In revisions with one kind of question, the bare capability meant forms.
      return (
        isPlainObject(elicitation) && (of(elicitation, "form") !== undefined || of(elicitation, "url") === undefined)
      );
    case "url":
      return of(elicitation, "url") !== undefined;
    case "sampling": {
      const sampling = of(capabilities, "sampling");
      const wantsTools = samplingParams(request.paramsText)?.tools !== undefined;
      return sampling !== undefined && (!wantsTools || of(sampling, "tools") !== undefined);
    }
    case "roots":
      return of(capabilities, "roots") !== undefined;
    case "foreign": {
      const { extensions = {}, experimental = {} } = readDeclaredExtensions(capabilities);
      return request.extensions.some((name) => Object.hasOwn(extensions, name) || Object.hasOwn(experimental, name));
    }
  }
}

/** The question as a request of the protocol. */
export function toInputRequest(request: CallerRequest): { method: string; params: Record<string, unknown> } {
  switch (request.kind) {
    case "form":
      return {
        method: "elicitation/create",
        params: { mode: "form", message: request.message, requestedSchema: request.schema },
      };
    case "url":
      return { method: "elicitation/create", params: { mode: "url", message: request.message, url: request.url } };
    case "sampling":
      return { method: "sampling/createMessage", params: samplingParams(request.paramsText) ?? {} };
    case "roots":
      return { method: "roots/list", params: {} };
    case "foreign":
      return { method: request.method, params: { ...request.params } };
  }
}

/** Reads a client's answer; an invalid one counts as a cancellation. */
export function toAnswer(request: CallerRequest, result: unknown): InteractionAnswer {
  if (!isPlainObject(result)) return { action: "cancel" };
  if (request.kind === "sampling") return samplingAnswer(result);
  if (request.kind === "foreign") return { action: "accept", content: result };
  if (request.kind === "roots") return { action: "accept", content: { roots: result.roots } };
  if (result.action === "decline" || result.action === "cancel") return { action: result.action };
  if (result.action !== "accept") return { action: "cancel" };
  return isPlainObject(result.content) ? { action: "accept", content: result.content } : { action: "accept" };
}

/**
 * Asks the client of a session on the stream of its call. Null when the client cannot answer, so that the console is
 * asked instead.
 * @param meta the meta of a task, which waits for its client: rejects when the stream is gone
 */
export async function askSession(
  ctx: CallContext,
  request: CallerRequest,
  signal: AbortSignal,
  meta?: Record<string, unknown>,
): Promise<InteractionAnswer | null> {
  const { method, params } = toInputRequest(request);
  // The sessions' protocol has an id for a visit, which the stateless one has dropped.
  const elicitationId = randomUUID();
  const named = request.kind === "url" ? { ...params, elicitationId } : params;
  if (request.kind === "url") void reportCompletion(ctx, request.completed, elicitationId);
  const sent = meta === undefined ? named : { ...named, _meta: meta };
  try {
    // A schema of the SDK would copy the answer, and its numbers without their digits.
    const asked = { method, params: sent } as never;
    const result = await ctx.mcpReq.send(asked, ANY_RESULT, { signal, timeout: ANSWER_LIMIT_MS });
    return toAnswer(request, result);
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown };
    // The refusal is the client's answer to the server.
    if (request.kind === "foreign" && name === "ProtocolError" && code !== CLIENT_GONE) throw error;
    if (signal.aborted || (meta !== undefined && (code === CLIENT_GONE || typeof code !== "number"))) throw error;
    return code === REFUSED ? { action: "decline" } : null;
  }
}

/** Tells the client that what it showed the page for is done. */
async function reportCompletion(
  ctx: CallContext,
  completed: Promise<boolean> | undefined,
  elicitationId: string,
): Promise<void> {
  const isDone = await completed?.catch(() => false);
  if (isDone !== true) return;
  const notice = { method: "notifications/elicitation/complete", params: { elicitationId } };
  await ctx.mcpReq.notify(notice as never).catch(() => undefined);
}

function samplingParams(paramsText: string): Record<string, unknown> | null {
  try {
    const params: unknown = JSON.parse(paramsText);
    return isPlainObject(params) ? params : null;
  } catch {
    return null;
  }
}

/** `content` is the client's whole answer; `text` what of it is text. */
function samplingAnswer(result: Record<string, unknown>): InteractionAnswer {
  const blocks = Array.isArray(result.content) ? (result.content as unknown[]) : [result.content];
  const text = blocks
    .map((block) => (isPlainObject(block) && typeof block.text === "string" ? block.text : ""))
    .filter((part) => part !== "")
    .join("\n");
  const model = typeof result.model === "string" ? { model: result.model.slice(0, 200) } : {};
  return { action: "accept", content: result, text, ...model };
}
