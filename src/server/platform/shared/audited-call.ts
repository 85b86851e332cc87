import { explainDenial, explainLimits, isLimited, type Permission, type Principal } from "../../../lib/contract/access";
import type { AuditOutcome, AuditTarget } from "../../../lib/contract/audit";
import { getMessage } from "../../../lib/get-message";
import { AppError, findAppError } from "./app-error";

/** The facts of an operation for the audit log, beside its actor. */
export interface AuditNote {
  action: string;
  target: AuditTarget | null;
  before?: unknown;
  after?: unknown;
}

/** The audit entry of an operation. States must not contain secrets. */
export interface AuditEntry<Input, Result, Services> {
  /** The changed object. `result` is undefined before the operation has ended. */
  target: (
    input: Input,
    result: Result | undefined,
    services: Services,
    by: Principal,
  ) => AuditTarget | null | Promise<AuditTarget | null>;
  /** Read before and after the operation; for a creation, only afterwards. */
  state?: (services: Services, input: Input, result: Result | undefined, by: Principal) => unknown;
  /** Instead of the state afterwards. Without both, an entry has no state. */
  after?: (result: Result, input: Input, services: Services) => unknown;
  /** Further entries, for parts of the operation that users search for under a separate action. */
  also?: (result: Result, input: Input) => readonly AuditNote[];
}

/** An entry, or the reason why what is done leaves none. Denied attempts leave one in any case, with the target where it is declared. */
export type Audit<Input, Result, Services> =
  | AuditEntry<Input, Result, Services>
  | { unrecorded: string; target?: AuditEntry<Input, Result, Services>["target"] };

/** Records operations that are done, failed or denied. */
interface AuditRecorder {
  /** Resolves when the entry is stored. */
  record(entry: AuditNote & { by: Principal; outcome: AuditOutcome; error?: string }): Promise<void>;
}

/** The ports of operations that act for a user. */
export interface ActingPorts {
  audit: AuditRecorder;
  /** Runs a change, and waits until the other instances of the server have read it. */
  answered: <T>(work: () => Promise<T>) => Promise<T>;
}

interface AuditedCall {
  log: AuditRecorder;
  audit: Audit<never, never, never>;
  by: Principal;
  /** The action, such as `tools.update`. */
  action: string;
  input: unknown;
  services: unknown;
}

/** @throws the refusal, with an entry where it is a denial */
export async function refuseAudited(
  { log, audit, by, action, input, services }: AuditedCall,
  refusal: unknown,
): Promise<never> {
  const outcome = toOutcome(refusal);
  // The refusal is the answer, also where this cannot be written.
  if (outcome === "denied" || !("unrecorded" in audit)) {
    const target = await readSafely(() => audit.target?.(input as never, undefined, services as never, by));
    await log.record({ by, action, target: target ?? null, outcome, error: explain(refusal) }).catch(() => undefined);
  }
  throw refusal;
}

/**
 * Runs a method and records what it did before its caller gets the answer.
 * @throws AppError with the code UNAVAILABLE where the change is made and its entry could not be written
 */
export async function performAudited<T>(call: AuditedCall, perform: () => Promise<T>): Promise<T> {
  const { log, audit, by, action } = call;
  const input = call.input as never;
  const services = call.services as never;
  const entry = "unrecorded" in audit ? null : audit;
  const before = entry && (await readSafely(() => entry.state?.(services, input, undefined, by)));
  // Reads the name before the change: a removed target has none afterwards.
  const named = entry && (await readSafely(() => entry.target(input, undefined, services, by)));
  let result: T;
  try {
    result = await perform();
  } catch (error) {
    return await refuseAudited(call, error);
  }
  if (entry === null) return result;
  const done = result as never;
  const renamed = await readSafely(() => entry.target(input, done, services, by));
  const now = await readSafely(() =>
    entry.after === undefined ? entry.state?.(services, input, done, by) : entry.after(done, input, services),
  );
  try {
    await log.record({ by, action, target: renamed ?? named ?? null, outcome: "done", before, after: now });
    const notes = await readSafely(() => entry.also?.(done, input));
    for (const note of notes ?? []) await log.record({ by, outcome: "done", ...note });
  } catch (error) {
    const message = "The change was made, but the audit log could not be written: tell an admin, and do not repeat it";
    throw new AppError("UNAVAILABLE", `${message} (${getMessage(error)})`, [], { cause: error });
  }
  return result;
}

/** A missing target must not prevent the entry. */
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

/** @throws AppError with the code DENIED, which names the role that may */
export function assertAllowed(principal: Principal, permission: Permission): void {
  const reason = explainDenial(principal, permission);
  if (reason !== null) throw new AppError("DENIED", reason);
}

/** @throws AppError with the code DENIED for a token that is limited to tools, servers or toolsets, unless `admitted` */
export function assertWithinLimits({ token }: Principal, admitted: boolean): void {
  if (token === null || !isLimited(token) || admitted) return;
  throw new AppError("DENIED", explainLimits(token));
}

interface AskedFor {
  by: Principal;
  /** Names it in the audit log, which gets an entry of a denial. */
  action: string;
  permission: Permission;
  /** Whether tokens that are limited to tools, servers or toolsets may ask for it. */
  admitsLimited: boolean;
}

/** Checks the rights of a request before its input is read. @throws AppError with the code DENIED */
export async function assertMayAsk(
  auditLog: { recordDenial(denial: { by: Principal; action: string; error: string }): Promise<unknown> },
  { by, action, permission, admitsLimited }: AskedFor,
): Promise<void> {
  try {
    assertAllowed(by, permission);
    assertWithinLimits(by, admitsLimited);
  } catch (error) {
    await auditLog.recordDenial({ by, action, error: getMessage(error) });
    throw error;
  }
}
