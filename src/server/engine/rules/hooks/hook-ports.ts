import type { Role } from "../../../../lib/contract/access";
import type { HookTest, RuleEffect } from "../../../../lib/contract/call-rule";
import type { ExecutionSource } from "../../../../lib/contract/envelope";

export type HookEffect = Extract<RuleEffect, { kind: "hook" }>;

export interface HookRule {
  id: string;
  effect: HookEffect;
}

/** The call that a hook is asked about. */
export interface HookQuestion {
  /** The id of the call's execution; null for a test. */
  execution: string | null;
  /** `runs`: the tool that a rule has run in place of the one that is called. */
  tool: { name: string; server: string | null; runs?: string };
  caller: { id: string; name: string; role: Role | null; source: ExecutionSource; client: string | null };
  rule: { name: string; version: number };
  /** The arguments as JSON text; null where the rule sends none. */
  argumentsText: string | null;
}

export interface HookSender {
  /** Asks a hook within its time. A failure is a value. @throws the reason of the signal where it aborts */
  ask(rule: HookRule, question: HookQuestion, signal?: AbortSignal): Promise<HookTest>;
}
