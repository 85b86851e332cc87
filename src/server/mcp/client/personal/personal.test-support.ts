import type { Actor } from "../../../../lib/contract/actor";
import type {
  OpenSignInPage,
  PersonalCredential,
  PersonalCredentials,
  UserIdentities,
} from "../../../engine/mcp-ports";
import { type BenchOptions, buildContext, openBench, readText } from "../connections.test-support";
import { poolKey } from "./user-pool";

export const ADA: Actor = { id: "ada", name: "Ada" };
export const BOB: Actor = { id: "bob", name: "Bob" };

/** Connections with credentials in memory. @param openSignInPage absent: callers are not asked */
export function openPersonalBench(
  options: BenchOptions = {},
  openSignInPage?: OpenSignInPage,
  identities?: UserIdentities,
) {
  const stored = new Map<string, PersonalCredential>();
  const credentials: PersonalCredentials = {
    read: async (server, user) => stored.get(poolKey(server, user)) ?? null,
    async writeSignIn(server, user, text) {
      if (text === null) stored.delete(poolKey(server, user));
      else stored.set(poolKey(server, user), { kind: "oauth", text });
    },
    signIns: async (user) =>
      [...stored].flatMap(([key, credential]) => {
        const [server, owner] = JSON.parse(key) as [string, string];
        return credential.kind === "oauth" && owner === user ? [{ server, text: credential.text }] : [];
      }),
  };
  const bench = openBench({
    personal: {
      credentials,
      isUser: (id) => id !== "automation",
      getPage: (server) => `http://t.test/servers/${server}`,
      ...(openSignInPage && { openSignInPage }),
      ...(identities && { identities }),
    },
    ...options,
  });
  const { connections } = bench;
  return {
    ...bench,
    /** Stores a user's values, as the service does. */
    async enter(server: string, { id }: Actor, values: Record<string, string>, binding = "here"): Promise<void> {
      stored.set(poolKey(server, id), { kind: "values", binding, values });
      await connections.credentialsChanged(id);
    },
    async forget(server: string, { id }: Actor): Promise<void> {
      stored.delete(poolKey(server, id));
      await connections.credentialsChanged(id);
    },
    stored,
    call: async (server: string, actor: Actor, tool: string): Promise<string> =>
      readText(await connections.call(server, tool, {}, buildContext({ actor }))),
    /** Everything that connections told or keep for anyone but the user itself. */
    seenBy: (server: string, user?: string): string =>
      JSON.stringify([
        bench.lines,
        bench.states,
        connections.log(server, user),
        connections.messages(server, user),
        connections.state(server, user),
      ]),
  };
}
