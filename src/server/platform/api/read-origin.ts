import type { OperationContext } from "./operation";

/** The origin of the address that a REST request was sent to; tRPC has it as a field, which the console knows. */
export function readOrigin({ sent }: OperationContext): string {
  if (sent === null) throw new Error("Only a REST request says where it was sent");
  return new URL(sent.request.url).origin;
}
