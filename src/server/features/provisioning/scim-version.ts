import { createHash } from "node:crypto";
import { ScimError } from "./scim-error";

/** The versions that a request names (RFC 7644, section 3.14); null for a header that it does not have. */
export interface Preconditions {
  ifMatch: string | null;
  ifNoneMatch: string | null;
}

const TAGS = /(?:W\/)?"([^"]*)"/g;

/** A weak entity tag: it changes with everything that a resource shows, except its addresses. */
export const toVersion = (shown: object): string =>
  `W/"${createHash("sha256").update(JSON.stringify(shown)).digest("base64url").slice(0, 22)}"`;

/** Compares weakly, as RFC 7644 does. A text without quotes names no version. */
function names(header: string, version: string): boolean {
  if (header.trim() === "*") return true;
  const opaque = version.replace(/^W\//, "");
  return [...header.matchAll(TAGS)].some(([, value = ""]) => `"${value}"` === opaque);
}

/** Whether a reader has this version already. */
export const isKnownVersion = ({ ifNoneMatch }: Preconditions, version: string): boolean =>
  ifNoneMatch !== null && names(ifNoneMatch, version);

/** @throws ScimError where a change was based on another version */
export function assertVersion({ ifMatch, ifNoneMatch }: Preconditions, version: string): void {
  const isMatched = ifMatch === null || names(ifMatch, version);
  if (isMatched && (ifNoneMatch === null || !names(ifNoneMatch, version))) return;
  throw new ScimError(412, "The resource was changed since: read it again and repeat the change");
}
