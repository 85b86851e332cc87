import { type OperationContext, requireSent } from "./operation";

/** The origin of the address that a REST request was sent to; in tRPC the console sends it as a field. */
export const readOrigin = (context: OperationContext): string => new URL(requireSent(context).request.url).origin;
