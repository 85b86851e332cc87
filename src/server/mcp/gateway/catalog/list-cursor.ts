import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

/** A page continues after a name, so that a cursor stays valid when the list changes. */
export const toCursor = (lastName: string): string => Buffer.from(lastName).toString("base64url");

/** Null for the first page. @throws ProtocolError for a cursor that no list gave */
export function nameOfCursor(cursor: unknown): string | null {
  if (cursor === undefined) return null;
  const name = typeof cursor === "string" ? Buffer.from(cursor, "base64url").toString() : "";
  if (name === "" || Buffer.from(name).toString("base64url") !== cursor) {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Unknown cursor: use one that the list returned");
  }
  return name;
}
