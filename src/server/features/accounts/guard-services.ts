import type { Principal } from "../../../lib/contract/access";
import { assertAllowed, assertWithinLimits } from "../../platform/shared/assert-allowed";
import { performAudited, refuseAudited } from "../../platform/shared/audited-call";
import type { ActingMethods, MethodRule, ServiceRules } from "../../platform/shared/method-rules";
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

export type GuardedServices<Services, Declared extends keyof Services = never> = {
  [Name in keyof Services]: Name extends Declared ? Services[Name] : Guarded<Services[Name]>;
};

export interface GuardOptions<Services, Declared extends keyof Services> {
  rules: Omit<ServiceRules<Services>, Declared>;
  /** Services whose operations are declared: the kernel of operations checks and records these. */
  declared?: readonly Declared[];
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
export function guardServices<Services extends object, Declared extends keyof Services = never>(
  services: Services,
  { rules, declared = [], audit, judging = [], answered = (work) => work() }: GuardOptions<Services, Declared>,
): GuardedServices<Services, Declared> {
  const rows = rules as Record<string, Record<string, Rule>>;
  const guarded = Object.entries(services).map(([name, service]) => {
    if (declared.some((each) => each === name)) return [name, service];
    const judges = judging.some((each) => each === name);
    return [name, guardService({ name, service, judges, audit, answered, rules: rows[name] ?? {} })];
  });
  return Object.fromEntries(guarded) as GuardedServices<Services, Declared>;
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
        assertWithinLimits(principal, false);
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
