import { assertAllowed, assertWithinLimits } from "../shared/assert-allowed";
import { performAudited, refuseAudited } from "../shared/audited-call";
import type { AuditRule } from "../shared/method-rules";
import type { AnyOperation, OperationContext } from "./operation";
import type { ApiContext } from "./route";

/**
 * Checks the rights, runs the operation and records it: the one place for all doors.
 * @param action `views.create`
 * @param readMore further fields of the input, which may only be read by who may do it
 */
export async function performOperation(
  action: string,
  operation: AnyOperation,
  context: ApiContext,
  given: unknown,
  readMore?: () => Promise<object>,
): Promise<unknown> {
  const { actor: principal, services } = context;
  const { acting } = services;
  const rule = toAuditRule(operation, services);
  const call = { audit: acting.audit, rule, by: principal, action, args: [given] };
  const judge = (): void => assertAllowed(principal, operation.allow);
  try {
    assertWithinLimits(principal, false);
    judge();
  } catch (error) {
    return await refuseAudited(call, error);
  }
  const input = readMore === undefined ? given : { ...(given as object), ...(await readMore()) };
  const own: OperationContext = { ...context, actor: { id: principal.id, name: principal.name }, principal };
  const run = async (): Promise<unknown> => await operation.run(own, input as never);
  if (operation.kind === "read") return await run();
  return await acting.answered(() => performAudited(call, run));
}

const READS = { unrecorded: "It changes nothing" };

function toAuditRule({ audit }: AnyOperation, services: ApiContext["services"]): AuditRule<unknown[], unknown> {
  if (audit === undefined) return READS;
  if ("unrecorded" in audit) return audit;
  const { target, state, after } = audit;
  return {
    target: ([input], result) => target(input as never, result as never),
    ...(state && { state: ([input], result, by) => state(services, input as never, result as never, by) }),
    ...(after && { after: ([input], result) => after(result as never, input as never, services) }),
  };
}
