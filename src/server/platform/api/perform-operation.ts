import type { Principal } from "../../../lib/contract/access";
import { AppError } from "../shared/app-error";
import {
  type AuditRule,
  assertAllowed,
  assertWithinLimits,
  performAudited,
  refuseAudited,
} from "../shared/audited-call";
import type { AnyOperation, OperationContext } from "./operation";
import type { ApiContext, RouteInput } from "./route";

interface RestRequest {
  sent: RouteInput<unknown, unknown>;
  /** The input with what may only be read by who may do it. */
  readInput(context: OperationContext): Promise<object>;
}

/**
 * Checks the rights, runs the operation and records it: the one place for all doors.
 * @param action `views.create`
 * @param request absent: it came through tRPC
 */
export async function performOperation(
  action: string,
  operation: AnyOperation,
  context: ApiContext & Pick<OperationContext, "report" | "signal">,
  given: unknown,
  request?: RestRequest,
): Promise<unknown> {
  const { actor: principal, services } = context;
  const { acting } = services;
  const rule = toAuditRule(operation, services);
  const call = { audit: acting.audit, rule, by: principal, action: operation.recordedAs ?? action, args: [given] };
  const assertRights = (): void => {
    assertAllowed(principal, operation.allow);
    if (operation.demand !== undefined) assertAllowed(principal, operation.demand(given as never, services));
  };
  try {
    assertWithinLimits(principal, isForLimited(operation, principal, given));
    assertRights();
    assertNoToken(principal, operation);
  } catch (error) {
    return await refuseAudited(call, error);
  }
  const own: OperationContext = {
    ...context,
    actor: { id: principal.id, name: principal.name },
    principal,
    sent: request?.sent ?? null,
  };
  const input = request === undefined ? given : await request.readInput(own);
  const run = async (): Promise<unknown> => {
    // The settings behind the permission may have changed while the audit log read the earlier state.
    assertRights();
    return await operation.run(own, input as never);
  };
  if (operation.kind === "read") return await run();
  const result = await acting.answered(() => performAudited({ ...call, args: [input] }, run));
  return operation.reply === undefined ? result : await operation.reply(own, result as never, input as never);
}

function isForLimited({ forLimitedTokens }: AnyOperation, { token }: Principal, input: unknown): boolean {
  if (typeof forLimitedTokens !== "function") return forLimitedTokens === true;
  return token === null || forLimitedTokens(token, input as never);
}

function assertNoToken({ token }: Principal, { refusesTokens }: AnyOperation): void {
  if (token !== null && refusesTokens !== undefined) throw new AppError("DENIED", refusesTokens);
}

const READS = { unrecorded: "It changes nothing" };

function toAuditRule({ audit }: AnyOperation, services: ApiContext["services"]): AuditRule<unknown[], unknown> {
  if (audit === undefined) return READS;
  const { target } = audit;
  const named: AuditRule<unknown[], unknown> =
    target === undefined
      ? {}
      : { target: ([input], result, by) => target(input as never, result as never, services, by) };
  if ("unrecorded" in audit) return { ...named, unrecorded: audit.unrecorded };
  const { state, after, also } = audit;
  return {
    ...named,
    ...(state && { state: ([input], result, by) => state(services, input as never, result as never, by) }),
    ...(after && { after: ([input], result) => after(result as never, input as never, services) }),
    ...(also && { also: ([input], result) => also(result as never, input as never) }),
  };
}
