import { randomBytes } from "node:crypto";
import { toCopyTag } from "../../platform/coordination/forwarding";

/** An id that cannot be guessed; where there are several copies, it begins with the tag of this one. */
export type CreateId = (bytes: number) => string;

/** @param copyId null where there is one process */
export function createIds(copyId: string | null): CreateId {
  const prefix = copyId === null ? "" : `${toCopyTag(copyId)}.`;
  return (bytes) => prefix + randomBytes(bytes).toString("base64url");
}
