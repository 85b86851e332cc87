import { randomBytes } from "node:crypto";
import { toInstanceTag } from "../../platform/coordination/forwarding";

/** An id that cannot be guessed; where there are several instances, it begins with the tag of this one. */
export type CreateId = (bytes: number) => string;

/** @param instanceId null where there is one process */
export function createIds(instanceId: string | null): CreateId {
  const prefix = instanceId === null ? "" : `${toInstanceTag(instanceId)}.`;
  return (bytes) => prefix + randomBytes(bytes).toString("base64url");
}
