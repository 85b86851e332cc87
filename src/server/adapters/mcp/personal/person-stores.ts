import type { CredentialStore, PersonalCredentials } from "../../../engine/mcp-ports";

/**
 * Each person's sign-ins as the store of their connections. One object per person: a connection that closes and the next
 * one share their token refreshes by it.
 */
export function createPersonStores(credentials: PersonalCredentials): (person: string) => CredentialStore {
  const stores = new Map<string, CredentialStore>();
  return (person) => {
    const known = stores.get(person);
    if (known !== undefined) return known;
    const store: CredentialStore = {
      async read(server) {
        const stored = await credentials.read(server, person);
        return stored?.kind === "oauth" ? stored.text : null;
      },
      write: (server, text) => credentials.writeSignIn(server, person, text),
      exclusively: (server, work) => credentials.exclusively?.(server, person, work) ?? work(),
    };
    stores.set(person, store);
    return store;
  };
}
