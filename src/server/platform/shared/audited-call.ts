import { explainDenial, isLimited, type Permission, type Principal } from "../../../lib/contract/access";
import type { AuditOutcome, AuditTarget } from "../../../lib/contract/audit";
import { getMessage } from "../../../lib/get-message";
import { AppError, findAppError } from "./app-error";

/** The audit entry of what was done, beside its actor. */
export interface AuditNote {
  action: string;
  target: AuditTarget | null;
  before?: unknown;
  after?: unknown;
}

/** What the audit log keeps of an operation. One without a state records its input in `after`. */
export interface AuditRule<Args extends unknown[], Result> {
  /** Why what is done leaves no entry. Denied attempts leave one in any case. */
  unrecorded?: string;
  /** The changed object. `result` is undefined before the operation has ended. */
  target?: (args: Args, result: Result | undefined, by: Principal) => AuditTarget | null | Promise<AuditTarget | null>;
  /** Read before and after the operation. Must not contain secrets. */
  state?: (args: Args, result: Result | undefined, by: Principal) => unknown;
  /** Instead of the state afterwards. Must not contain secrets. */
  after?: (args: Args, result: Result) => unknown;
  /** Further entries, for parts of it that are looked for under an action of their own. */
  also?: (args: Args, result: Result) => readonly AuditNote[];
}

/** Keeps what is done, failed or denied. */
interface AuditRecorder {
  /** Resolves when the entry is stored. */
  record(entry: AuditNote & { by: Principal; outcome: AuditOutcome; error?: string }): Promise<void>;
}

/** What every operation needs that acts for someone. */
export interface ActingPorts {
  audit: AuditRecorder;
  /** Runs a change, and waits until the other instances of the server have read it. */
  answered: <T>(work: () => Promise<T>) => Promise<T>;
}

interface AuditedCall {
  audit: AuditRecorder;
  rule: AuditRule<unknown[], unknown>;
  by: Principal;
  /** `tools.update`. */
  action: string;
  args: unknown[];
}

/** @throws the refusal, with an entry where it is a denial */
export async function refuseAudited({ audit, rule, by, action, args }: AuditedCall, refusal: unknown): Promise<never> {
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
export async function performAudited<T>(call: AuditedCall, perform: () => Promise<T>): Promise<T> {
  const { audit, rule, by, action, args } = call;
  const { target, state, after } = rule;
  const unrecorded = rule.unrecorded !== undefined;
  const before = unrecorded ? undefined : await readSafely(() => state?.(args, undefined, by));
  // The name before the change: a removed target has none afterwards.
  const named = unrecorded ? null : await readSafely(() => target?.(args, undefined, by));
  let result: T;
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

/** The name in an unchecked value, for attempts that do not get as far as its check. */
export function readName(value: unknown): string {
  return String((value as { name?: unknown } | null)?.name ?? "");
}

/** @throws AppError with the code DENIED, which says who may */
export function assertAllowed(principal: Principal, permission: Permission): void {
  const reason = explainDenial(principal, permission);
  if (reason !== null) throw new AppError("DENIED", reason);
}

/** @throws AppError with the code DENIED for a token that is limited to tools, servers or toolsets, unless `admitted` */
export function assertWithinLimits({ token }: Principal, admitted: boolean): void {
  if (token === null || !isLimited(token) || admitted) return;
  throw new AppError(
    "DENIED",
    "This token is limited to tools, servers or toolsets: it can run these, and nothing else",
  );
}

/** Checks the rights of a request before a service is reached; a denial leaves an entry in the audit log. */
export async function recordDenial(
  auditLog: { recordDenial(denial: { by: Principal; action: string; error: string }): Promise<unknown> },
  by: Principal,
  action: string,
  check: () => void,
): Promise<void> {
  try {
    check();
  } catch (error) {
    await auditLog.recordDenial({ by, action, error: getMessage(error) });
    throw error;
  }
}
