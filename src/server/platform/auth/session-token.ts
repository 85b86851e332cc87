import { createHash } from "node:crypto";

const PREFIX = "sha256.";

/** A session's token as it is stored: with 190 random bits, a plain hash cannot be guessed back. */
export const hashSessionToken = (token: string): string =>
  PREFIX + createHash("sha256").update(token).digest("base64url");

/** False for a token that an earlier version stored as it is. */
export const isHashedSessionToken = (stored: string): boolean => stored.startsWith(PREFIX);
