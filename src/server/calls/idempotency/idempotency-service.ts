import { createHmac } from "node:crypto";
import type { Principal } from "../../../lib/contract/access";
import { newId } from "../../../lib/execution-id";
import { AppError } from "../../platform/shared/app-error";
import type { IdempotencyStore } from "./idempotency-store";

const KEPT_MS = 24 * 60 * 60_000;
const KEY = /^[\x21-\x7e]{1,200}$/;

interface IdempotencyPorts {
  store: IdempotencyStore;
  /** The key of the fingerprints: without it they could be compared with those of guessed arguments. */
  secret: string;
  now(): number;
}

/** Requests that may be sent twice and act once: a key identifies what the first one made. */
export function createIdempotencyService({ store, secret, now }: IdempotencyPorts) {
  return {
    /**
     * The id that a key identifies: the same for a day, also after a restart.
     * @param principal a token has keys of its own
     * @throws AppError for a key that was used for another request
     */
    async reserve(
      { id, token }: Pick<Principal, "id" | "token">,
      key: string,
      { request, prefix }: { request: string; prefix: "exec" | "run" },
    ): Promise<{ id: string; repeated: boolean }> {
      if (!KEY.test(key)) {
        throw new AppError("INVALID", "Idempotency-Key: must be 1 to 200 printable ASCII characters without spaces");
      }
      const fingerprint = createHmac("sha256", secret).update(request).digest("base64url");
      const wanted = { fingerprint, targetId: newId(prefix), createdAt: now() };
      const owner = token === null ? id : `token ${token.id}`;
      const reserved = await store.reserve(owner, key, wanted, now() - KEPT_MS);
      if (reserved.fingerprint !== fingerprint) {
        throw new AppError(
          "KEY_REUSED",
          "Idempotency-Key: was used for another request. Use a new key for a new request",
        );
      }
      if (reserved.targetId === "") {
        throw new AppError(
          "CONFLICT",
          "Idempotency-Key: the execution of its first request was deleted. Use a new key to run the tool again",
        );
      }
      return { id: reserved.targetId, repeated: reserved.repeated };
    },
  };
}
