import { admitsTool, type Principal } from "../../../lib/contract/access";
import { TOOL_SEPARATOR } from "../../../lib/contract/tool-definition";
import { getMessage } from "../../../lib/get-message";
import { AppError, findAppError } from "../../platform/shared/app-error";
import { assertAllowed, assertWithinLimits } from "../../platform/shared/assert-allowed";
import type { ActingMethods, AuditRule, MethodRule, ServiceRules } from "../../platform/shared/method-rules";
import type { AuditLog } from "../audit/audit-log";

type Rule = MethodRule<unknown[], unknown>;

/** A method that takes an actor takes a principal, whose rights are checked before it runs. */
type Guarded<Service> = {
  [Name in keyof Service]: Name extends ActingMethods<Service>
    ? Service[Name] extends (actor: infer _First, ...args: infer Args) => infer Result
      ? (principal: Principal, ...args: Args) => Promise<Awaited<Result>>
      : Service[Name]
    : Service[Name];
};

export type GuardedServices<Services> = { [Name in keyof Services]: Guarded<Services[Name]> };

/** True for the calls that a token limited to tools or servers may make: `executions.run` of these, and nothing else. */
function admitsCall({ token }: Principal, service: string, method: string, args: unknown[]): boolean {
  const tool = (args[0] as { tool?: unknown } | undefined)?.tool;
  const runs = service === "executions" && method === "run" && typeof tool === "string";
  const server = runs && tool.includes(TOOL_SEPARATOR) ? (tool.split(TOOL_SEPARATOR, 1)[0] ?? null) : null;
  return token === null || (runs && admitsTool(token, tool, server));
}

export interface GuardOptions<Services> {
  rules: ServiceRules<Services>;
  audit: AuditLog;
  /** Services that get the rights too, since they decide by them. */
  judging?: readonly (keyof Services)[];
  /** Runs a method, and waits until the other copies of the server have read what it changed; absent: there are none. */
  answered?: Answered;
}

type Answered = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * The same services, which refuse what a principal's role or token does not allow, and leave an entry in the audit log for
 * what is done, failed or denied. They get the actor alone, so that no rights are stored with what they record.
 */
export function guardServices<Services extends object>(
  services: Services,
  { rules, audit, judging = [], answered = (work) => work() }: GuardOptions<Services>,
): GuardedServices<Services> {
  const rows = rules as Record<string, Record<string, Rule>>;
  const guarded = Object.entries(services).map(([name, service]) => {
    const judges = judging.some((each) => each === name);
    return [name, guardService({ name, service, judges, audit, answered, rules: rows[name] ?? {} })];
  });
  return Object.fromEntries(guarded) as GuardedServices<Services>;
}

interface GuardedService {
  name: string;
  service: object;
  judges: boolean;
  audit: AuditLog;
  answered: Answered;
  rules: Record<string, Rule>;
}

function guardService({ name, service, judges, audit, answered, rules }: GuardedService): object {
  const guards = new Map<PropertyKey, unknown>();

  function guard(method: (...args: unknown[]) => unknown, key: string, rule: Rule): unknown {
    const { permission } = rule;
    return async (principal: Principal, ...args: unknown[]): Promise<unknown> => {
      const call = { audit, rule, by: principal, action: `${name}.${key}`, args };
      const judge = (): void =>
        assertAllowed(principal, typeof permission === "function" ? permission(...args) : permission);
      try {
        assertWithinLimits(principal, admitsCall(principal, name, key, args));
        judge();
      } catch (error) {
        return await refuseAudited(call, error);
      }
      const actor = judges ? principal : { id: principal.id, name: principal.name };
      const perform = async (): Promise<unknown> => {
        // The settings behind the permission may have changed while the audit log read the earlier state.
        judge();
        return Reflect.apply(method, service, [actor, ...args]);
      };
      return await answered(() => performAudited(call, perform));
    };
  }

  return new Proxy(service, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      const known = guards.get(key);
      if (known !== undefined) return known;
      const rule = typeof key === "string" && Object.hasOwn(rules, key) ? rules[key] : undefined;
      const method = member as (...args: unknown[]) => unknown;
      const guarded = rule === undefined ? member.bind(target) : guard(method, String(key), rule);
      guards.set(key, guarded);
      return guarded;
    },
  });
}

interface AuditedCall {
  audit: AuditLog;
  rule: AuditRule<unknown[], unknown>;
  by: Principal;
  /** `tools.update`. */
  action: string;
  args: unknown[];
}

/** @throws the refusal, with an entry where it is a denial */
async function refuseAudited({ audit, rule, by, action, args }: AuditedCall, refusal: unknown): Promise<never> {
  const outcome = toOutcome(refusal);
  // The refusal is the answer, also where this cannot be written.
  if (outcome === "denied" || rule.unrecorded === undefined) {
    const target = await readSafely(() => rule.target?.(args, undefined, by));
    await audit.record({ by, action, target: target ?? null, outcome, error: explain(refusal) }).catch(() => undefined);
  }
  throw refusal;
}

/**
 * Runs a method and records what it did before its caller gets the answer.
 * @throws AppError with the code UNAVAILABLE where the change is made and its entry could not be written
 */
async function performAudited(call: AuditedCall, perform: () => Promise<unknown>): Promise<unknown> {
  const { audit, rule, by, action, args } = call;
  const { target, state, after } = rule;
  const unrecorded = rule.unrecorded !== undefined;
  const before = unrecorded ? undefined : await readSafely(() => state?.(args, undefined, by));
  // The name before the change: a removed target has none afterwards.
  const named = unrecorded ? null : await readSafely(() => target?.(args, undefined, by));
  let result: unknown;
  try {
    result = await perform();
  } catch (error) {
    return await refuseAudited(call, error);
  }
  if (unrecorded) return result;
  const renamed = await readSafely(() => target?.(args, result, by));
  const now = await readSafely(() => (after === undefined ? state?.(args, result, by) : after(args, result)));
  try {
    await audit.record({ by, action, target: renamed ?? named ?? null, outcome: "done", before, after: now });
    const also = await readSafely(() => rule.also?.(args, result));
    for (const entry of also ?? []) await audit.record({ by, outcome: "done", ...entry });
  } catch (error) {
    const message = "The change was made, but the audit log could not be written: tell an admin, and do not repeat it";
    throw new AppError("UNAVAILABLE", `${message} (${getMessage(error)})`, [], { cause: error });
  }
  return result;
}

/** An entry must not fail because its target is gone. */
async function readSafely<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined;
  }
}

const toOutcome = (error: unknown) => (findAppError(error)?.code === "DENIED" ? "denied" : "failed");

/** Internal errors reveal nothing; the log of the server has them. */
const explain = (error: unknown): string =>
  findAppError(error)?.message ?? "An internal error; the server's log has it";
