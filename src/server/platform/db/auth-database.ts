import { isPlainObject } from "../../../lib/contract/json";
import { hashSessionToken } from "../auth/session-token";
import type { Database } from "./database";

const MODELS = [
  ...(["user", "session", "account", "verification"] as const),
  ...(["oauthClient", "oauthResource", "oauthClientResource", "oauthRefreshToken"] as const),
  ...(["oauthAccessToken", "oauthConsent", "oauthClientAssertion"] as const),
];
const WRITES = new Set(["create", "createMany", "update", "updateMany", "delete", "deleteMany", "upsert"]);

/**
 * The part of Prisma's client that better-auth may use. Writes pass through the write queue. There is no `$transaction`:
 * without it better-auth uses single guarded statements, and an interactive transaction would hold the one connection.
 * The token of a session is stored as a hash; the library gets back the one that it gave.
 */
export function createAuthDatabase({ prisma, write }: Pick<Database, "prisma" | "write">): Record<string, unknown> {
  // better-auth compares its fields with Prisma's and refuses to work where they differ.
  const facade: Record<string, unknown> = { _runtimeDataModel: Reflect.get(prisma, "_runtimeDataModel") };
  for (const model of MODELS) {
    facade[model] = new Proxy(prisma[model], {
      get(delegate, method) {
        const run: unknown = Reflect.get(delegate, method);
        if (typeof run !== "function") return run;
        const apply = (args: unknown[]): Promise<unknown> => Reflect.apply(run, delegate, args) as Promise<unknown>;
        const call = (...args: unknown[]): Promise<unknown> =>
          model === "session" ? withHashedTokens(args, apply) : apply(args);
        return typeof method === "string" && WRITES.has(method)
          ? (...args: unknown[]) => write(async () => await call(...args))
          : call;
      },
    });
  }
  return facade;
}

/** The parts of a call of Prisma that hold values of columns. */
const HOLDS_TOKENS = new Set(["where", "data", "create", "update"]);

/** Runs a call of Prisma on sessions with the hashes of the tokens in its arguments. */
async function withHashedTokens(args: unknown[], apply: (args: unknown[]) => Promise<unknown>): Promise<unknown> {
  const given = new Map<string, string>();
  const hash = (token: string): string => {
    const hashed = hashSessionToken(token);
    given.set(hashed, token);
    return hashed;
  };
  const hashed = args.map((argument) =>
    isPlainObject(argument)
      ? Object.fromEntries(
          Object.entries(argument).map(([part, value]) => [
            part,
            HOLDS_TOKENS.has(part) ? mapTokens(value, hash) : value,
          ]),
        )
      : argument,
  );
  const result = await apply(hashed);
  return mapTokens(result, (stored) => given.get(stored) ?? stored);
}

/** A copy in which each text under the key `token` is changed, also in a condition such as `{ token: { in: [] } }`. */
function mapTokens(value: unknown, change: (token: string) => string, isToken = false): unknown {
  if (typeof value === "string") return isToken ? change(value) : value;
  if (Array.isArray(value)) return value.map((item) => mapTokens(item, change, isToken));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mapTokens(inner, change, isToken || key === "token")]),
  );
}
