import { randomUUID } from "node:crypto";
import { z } from "zod";
import type { HookTest } from "../../../lib/contract/call-rule";
import { HOOK_TIMEOUT_MS, MAX_HOOK_ANSWER_BYTES, RULE_DECISIONS } from "../../../lib/contract/call-rule-words";
import { getMessage } from "../../../lib/get-message";
import { stripControlCharacters } from "../../../lib/strip-control-characters";
import type { HookQuestion, HookRule, HookSender } from "../../engine/rules/hooks/hook-ports";
import { signWebhook } from "../../platform/shared/webhook-signature";

const MAX_REASON_CHARS = 500;

interface HookSenderPorts {
  /** Fetches from allowed addresses only; follows no redirects. */
  fetch: (url: string, init: RequestInit) => Promise<Response>;
  userAgent: string;
  /** Epoch milliseconds. */
  now: () => number;
  /** Milliseconds of a clock that never goes back. */
  elapsed: () => number;
  /** The secret that signs the requests of a rule. @throws Error where it cannot be read */
  readSecret: (ruleId: string) => string;
  /** Set by tests. */
  timeoutMs?: number | undefined;
}

/** Fields that a later version of hooks adds are ignored. */
const answerSchema = z.object({ decision: z.enum(RULE_DECISIONS), reason: z.string().optional() });

const HOOK_FAILED = "HOOK_FAILED";

/** Names the reason of a hook's failure in fixed words: neither its address nor its answer is repeated. */
const toHookFailure = (message: string): Error => Object.assign(new Error(message), { code: HOOK_FAILED });

/** Asks hooks by signed requests, each within its time and once: a hook that fails is not asked again. */
export function createHookSender(ports: HookSenderPorts): HookSender {
  const { now, elapsed, timeoutMs = HOOK_TIMEOUT_MS } = ports;

  async function post({ id, effect }: HookRule, body: string, signal: AbortSignal): Promise<Response> {
    return await ports.fetch(effect.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        "user-agent": ports.userAgent,
        ...signWebhook(ports.readSecret(id), `msg_${randomUUID()}`, now(), body),
      },
      body,
      signal,
    });
  }

  return {
    async ask(rule, question, signal) {
      const since = elapsed();
      const limit = AbortSignal.timeout(timeoutMs);
      const both = signal === undefined ? limit : AbortSignal.any([signal, limit]);
      const measure = (): number => Math.round((elapsed() - since) * 10) / 10;
      let status: number | null = null;
      try {
        const response = await post(rule, toBody(question), both);
        status = response.status;
        const answer = await readAnswer(response);
        return { ...answer, failure: null, status, ms: measure() };
      } catch (error) {
        signal?.throwIfAborted();
        const failure = limit.aborted ? `it gave no answer within ${timeoutMs / 1_000} s` : describeFailure(error);
        return { decision: null, reason: null, failure, status, ms: measure() };
      }
    },
  };
}

/** The arguments are text already, so that numbers keep their digits. */
function toBody({ argumentsText, ...question }: HookQuestion): string {
  const head = JSON.stringify({ type: question.execution === null ? "test" : "call", ...question });
  return argumentsText === null ? head : `${head.slice(0, -1)},"arguments":${argumentsText}}`;
}

async function readAnswer(response: Response): Promise<Pick<HookTest, "decision" | "reason">> {
  const { status } = response;
  if (!response.ok) {
    await response.body?.cancel();
    const isMoved = status >= 300 && status < 400;
    throw toHookFailure(`it answered with status ${status}${isMoved ? ", and redirects are not followed" : ""}`);
  }
  const parsed = answerSchema.safeParse(parse(await readText(response)));
  if (!parsed.success) throw toHookFailure("its answer has no decision that is allow, deny or ask");
  const { decision, reason } = parsed.data;
  const text = stripControlCharacters((reason ?? "").slice(0, MAX_REASON_CHARS)).trim();
  return { decision, reason: text === "" ? null : text };
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_HOOK_ANSWER_BYTES) throw toHookFailure(`its answer is longer than ${MAX_HOOK_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw toHookFailure("its answer is no JSON");
  }
}

function describeFailure(error: unknown): string {
  const { code } = error as { code?: unknown };
  if (code === HOOK_FAILED) return getMessage(error);
  return code === "ERR_ADDRESS_REFUSED"
    ? "this Toolroom may not connect to its address"
    : "it could not be reached, or its answer broke off";
}
