import type { Principal } from "../../../lib/contract/access";
import { AppError } from "../shared/app-error";
import { assertAllowed, assertWithinLimits, performAudited, refuseAudited } from "../shared/audited-call";
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
  const call = {
    log: acting.audit,
    audit: operation.audit ?? READS,
    by: principal,
    action: operation.recordedAs ?? action,
    input: given,
    services,
  };
  const assertRights = (): void => {
    assertAllowed(principal, operation.allow);
    if (operation.demand !== undefined) assertAllowed(principal, operation.demand(given as never, services));
  };
  try {
    assertTokenAdmitted(principal, operation, given);
    assertRights();
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
  const result = await acting.answered(() => performAudited({ ...call, input }, run));
  return operation.reply === undefined ? result : await operation.reply(own, result as never, input as never);
}

const READS = { unrecorded: "It changes nothing" };

/** Checks the limits of tokens that no scope lifts. @throws AppError DENIED */
function assertTokenAdmitted(
  principal: Principal,
  { forLimitedTokens, refusesTokens }: AnyOperation,
  input: unknown,
): void {
  const { token } = principal;
  if (token === null) return;
  const admitted =
    typeof forLimitedTokens === "function" ? forLimitedTokens(token, input as never) : forLimitedTokens === true;
  assertWithinLimits(principal, admitted);
  if (refusesTokens !== undefined) throw new AppError("DENIED", refusesTokens);
}
