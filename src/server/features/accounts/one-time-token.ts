import { createHash, randomBytes } from "node:crypto";

/** 256 random bits, whose hash needs neither salt nor a slow function. */
export function createSecretToken(prefix = ""): string {
  return `${prefix}${randomBytes(32).toString("base64url")}`;
}

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
