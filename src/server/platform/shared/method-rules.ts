import type { Permission, Principal } from "../../../lib/contract/access";
import type { Actor } from "../../../lib/contract/actor";
import type { AuditTarget } from "../../../lib/contract/audit";

/** The names of the methods that act for a person: the first parameter is the actor. */
export type ActingMethods<Service> = {
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
type Returned<Method> = Method extends (...args: never) => infer Result ? Awaited<Result> : never;

/** The audit entry of a method, beside its actor. */
export interface AuditNote {
  action: string;
  target: AuditTarget | null;
  before?: unknown;
  after?: unknown;
}

/** The audit entry of a method. A method without a state records its input in `after`. */
export interface AuditRule<Args extends unknown[], Result> {
  /** Why what is done leaves no entry. Denied attempts leave one in any case. */
  unrecorded?: string;
  /** The changed object. `result` is undefined before the method has ended. */
  target?: (args: Args, result: Result | undefined, by: Principal) => AuditTarget | null | Promise<AuditTarget | null>;
  /** Read before and after the method. Must not contain secrets. */
  state?: (args: Args, result: Result | undefined, by: Principal) => unknown;
  /** Instead of the state afterwards. Must not contain secrets. */
  after?: (args: Args, result: Result) => unknown;
  /** Further entries, for parts of it that are looked for under an action of their own. */
  also?: (args: Args, result: Result) => readonly AuditNote[];
}

/** The permission and the audit entry of a method. */
export interface MethodRule<Args extends unknown[], Result> extends AuditRule<Args, Result> {
  /** A function where it depends on what the method is asked to do. */
  permission: Permission | ((...args: Args) => Permission);
}

/** A row for every method that acts: one without a row does not compile. Reading needs `read`, for all of it. */
export type MethodRules<Service> = {
  [Method in ActingMethods<Service>]: MethodRule<Rest<Service[Method]>, Returned<Service[Method]>>;
};

/** The rows of every service that has methods that act. */
export type ServiceRules<Services> = {
  [Name in keyof Services as ActingMethods<Services[Name]> extends never ? never : Name]: MethodRules<Services[Name]>;
};

export const READS = { unrecorded: "It changes nothing" };
export const IN_EXECUTION = { unrecorded: "The execution records it" };

type Target = (args: [name: string, ...unknown[]]) => AuditTarget;

/** The first argument is the target's name or id. */
export const byName =
  (kind: string): Target =>
  ([name]) => ({ kind, name });

/** The name in an unchecked value, for attempts that do not get as far as its check. */
export function readName(value: unknown): string {
  return String((value as { name?: unknown } | null)?.name ?? "");
}
