import { type Actor, admitsTool, type Permission, type Principal, TOOL_SEPARATOR } from "../../../lib/contract";
import { assertAllowed, assertWithinLimits } from "../../shared/assert-allowed";

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

/** A method that takes an actor takes a principal, whose rights are checked before it runs. */
type Guarded<Service> = {
  [Name in keyof Service]: Name extends ActingMethods<Service>
    ? Service[Name] extends (actor: infer _First, ...args: infer Args) => infer Result
      ? (principal: Principal, ...args: Args) => Result
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

/**
 * The same services, which refuse what a principal's role or token does not allow. They get the actor alone, so that no
 * rights are stored with what they record; those in `judging` decide by the rights themselves.
 */
export function guardServices<Services extends object>(
  services: Services,
  policy: Policy<Services>,
  judging: readonly (keyof Services)[] = [],
): GuardedServices<Services> {
  const rules = policy as Record<string, Record<string, Rule<unknown[]>>>;
  const guarded = Object.entries(services).map(([name, service]) => {
    const judges = judging.some((each) => each === name);
    return [name, guardService({ name, service, judges, rules: rules[name] ?? {} })];
  });
  return Object.fromEntries(guarded) as GuardedServices<Services>;
}

interface GuardedService {
  name: string;
  service: object;
  judges: boolean;
  rules: Record<string, Rule<unknown[]>>;
}

function guardService({ name, service, judges, rules }: GuardedService): object {
  const guards = new Map<PropertyKey, unknown>();
  return new Proxy(service, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key);
      if (typeof member !== "function") return member;
      const known = guards.get(key);
      if (known !== undefined) return known;
      const rule = typeof key === "string" && Object.hasOwn(rules, key) ? rules[key] : undefined;
      const guard =
        rule === undefined
          ? member.bind(target)
          : (principal: Principal, ...args: unknown[]): unknown => {
              assertWithinLimits(principal, admitsCall(principal, name, String(key), args));
              assertAllowed(principal, typeof rule === "function" ? rule(...args) : rule);
              const actor = judges ? principal : { id: principal.id, name: principal.name };
              return Reflect.apply(member, target, [actor, ...args]);
            };
      guards.set(key, guard);
      return guard;
    },
  });
}
