import type { CredentialStore, InteractionBroker, PersonalCredentials } from "../../../engine/mcp-ports";

interface PersonParts {
  credentials: CredentialStore;
  interactions: InteractionBroker;
}

/**
 * What the connections of one user use: that user's sign-ins, and questions that are that user's to answer. One
 * store per user: a connection that closes and the next one share their token refreshes by it.
 */
export function createPersonParts(
  credentials: PersonalCredentials,
  interactions: InteractionBroker,
): (person: string) => PersonParts {
  const known = new Map<string, PersonParts>();
  return (person) => {
    const parts = known.get(person) ?? {
      credentials: createStore(credentials, person),
      interactions: { ask: (question, signal) => interactions.ask({ ...question, person }, signal) },
    };
    known.set(person, parts);
    return parts;
  };
}

function createStore(credentials: PersonalCredentials, person: string): CredentialStore {
  return {
    async read(server) {
      const stored = await credentials.read(server, person);
      return stored?.kind === "oauth" ? stored.text : null;
    },
    write: (server, text) => credentials.writeSignIn(server, person, text),
    exclusively: (server, work) => credentials.exclusively?.(server, person, work) ?? work(),
  };
}
