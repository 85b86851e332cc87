import { randomBytes } from "node:crypto";

/** `user_` and the like, then 120 random bits. */
export function newId(model: string): string {
  return `${model.toLowerCase()}_${randomBytes(15).toString("base64url")}`;
}
