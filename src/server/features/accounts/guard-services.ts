import { admitsTool, type Permission, type Principal } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import { TOOL_SEPARATOR } from "../../../lib/contract/server";
import { assertAllowed, assertWithinLimits } from "../../platform/shared/assert-allowed";
import type { AuditLog } from "../audit/audit-log";
import { type AuditRule, performAudited, refuseAudited } from "./audited-method";

/** The names of the methods that act in somebody's name: the first parameter is the actor. */
type ActingMethods<Service> = {
  [Name in keyof Service]: Service[Name] extends (...args: infer Args) => unknown
    ? Args extends [infer First, ...unknown[]]
      ? Principal extends First
        ? First extends Actor
          ? Name
          : never
        : never
      : never
    : never;
}[keyof Service];

type Rest<Method> = Method extends (actor: never, ...args: infer Args) => unknown ? Args : never;

/** What a method needs; a function where that depends on what it is asked to do. */
export type Rule<Args extends unknown[]> = Permission | ((...args: Args) => Permission);

/** An entry for every method that acts: one without an entry does not compile. */
export type Policy<Services> = {
  [Name in keyof Services as ActingMethods<Services[Name]> extends never ? never : Name]: {
    [Method in ActingMethods<Services[Name]>]: Rule<Rest<Services[Name][Method]>>;
  };
};

/** What the audit log says of every method that acts: one without an entry does not compile. */
export type AuditRules<Services> = {
  [Name in keyof Services as ActingMethods<Services[Name]> extends never ? never : Name]: {
    [Method in ActingMethods<Services[Name]>]: AuditRule<
      Rest<Services[Name][Method]>,
      Returned<Services[Name][Method]>
    >;
  };
};

type Returned<Method> = Method extends (...args: never) => infer Result ? Awaited<Result> : never;

/** A method that takes an actor takes a principal, whose rights are checked before it runs. */
type Guarded<Service> = {
  [Name in keyof Service]: Name extends ActingMethods<Service>
    ? Service[Name] extends (actor: infer _First, ...args: infer Args) => infer Result
      ? (principal: Principal, ...args: Args) => Promise<Awaited<Result>>
      : Service[Name]
    : Service[Name];
};

export type GuardedServices<Services> = { [Name in keyof Services]: Guarded<Services[Name]> };

/** What a token that is limited to tools or servers may call: `executions.run` of these, and nothing else. */
function admitsCall({ token }: Principal, service: string, method: string, args: unknown[]): boolean {
  const tool = (args[0] as { tool?: unknown } | undefined)?.tool;
  const runs = service === "executions" && method === "run" && typeof tool === "string";
  const server = runs && tool.includes(TOOL_SEPARATOR) ? (tool.split(TOOL_SEPARATOR, 1)[0] ?? null) : null;
  return token === null || (runs && admitsTool(token, tool, server));
}

export interface GuardOptions<Services> {
  policy: Policy<Services>;
  auditRules: AuditRules<Services>;
  audit: AuditLog;
  /** Services that get the rights too, since they decide by them. */
  judging?: readonly (keyof Services)[];
}

/**
 * The same services, which refuse what a principal's role or token does not allow, and leave an entry in the audit log for
 * what is done, failed or denied. They get the actor alone, so that no rights are stored with what they record.
 */
export function guardServices<Services extends object>(
  services: Services,
  { policy, auditRules, audit, judging = [] }: GuardOptions<Services>,
): GuardedServices<Services> {
  const rules = policy as Record<string, Record<string, Rule<unknown[]>>>;
  const entries = auditRules as Record<string, Record<string, AuditRule<unknown[], unknown>>>;
  const guarded = Object.entries(services).map(([name, service]) => {
    const judges = judging.some((each) => each === name);
    const own = { rules: rules[name] ?? {}, entries: entries[name] ?? {} };
    return [name, guardService({ name, service, judges, audit, ...own })];
  });
  return Object.fromEntries(guarded) as GuardedServices<Services>;
}

interface GuardedService {
  name: string;
  service: object;
  judges: boolean;
  audit: AuditLog;
  rules: Record<string, Rule<unknown[]>>;
  entries: Record<string, AuditRule<unknown[], unknown>>;
}

function guardService({ name, service, judges, audit, rules, entries }: GuardedService): object {
  const guards = new Map<PropertyKey, unknown>();

  function guard(method: (...args: unknown[]) => unknown, key: string, allowed: Rule<unknown[]>): unknown {
    const rule = entries[key] ?? {};
    return async (principal: Principal, ...args: unknown[]): Promise<unknown> => {
      const call = { audit, rule, by: principal, action: `${name}.${key}`, args };
      const judge = (): void => assertAllowed(principal, typeof allowed === "function" ? allowed(...args) : allowed);
      try {
        assertWithinLimits(principal, admitsCall(principal, name, key, args));
        judge();
      } catch (error) {
        return await refuseAudited(call, error);
      }
      const actor = judges ? principal : { id: principal.id, name: principal.name };
      return await performAudited(call, async () => {
        // The settings behind the permission may have changed while the audit log read the earlier state.
        judge();
        return Reflect.apply(method, service, [actor, ...args]);
      });
    };
  }

  return new Proxy(service, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      const known = guards.get(key);
      if (known !== undefined) return known;
      const allowed = typeof key === "string" && Object.hasOwn(rules, key) ? rules[key] : undefined;
      const method = member as (...args: unknown[]) => unknown;
      const guarded = allowed === undefined ? member.bind(target) : guard(method, String(key), allowed);
      guards.set(key, guarded);
      return guarded;
    },
  });
}
