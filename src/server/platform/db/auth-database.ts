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
 */
export function createAuthDatabase({ prisma, write }: Pick<Database, "prisma" | "write">): Record<string, unknown> {
  // better-auth compares its fields with Prisma's and refuses to work where they differ.
  const facade: Record<string, unknown> = { _runtimeDataModel: Reflect.get(prisma, "_runtimeDataModel") };
  for (const model of MODELS) {
    facade[model] = new Proxy(prisma[model], {
      get(delegate, method) {
        const run: unknown = Reflect.get(delegate, method);
        if (typeof run !== "function") return run;
        const call = (...args: unknown[]): Promise<unknown> => Reflect.apply(run, delegate, args) as Promise<unknown>;
        return typeof method === "string" && WRITES.has(method)
          ? (...args: unknown[]) => write(async () => await call(...args))
          : call;
      },
    });
  }
  return facade;
}
