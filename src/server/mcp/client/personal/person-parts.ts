import type {
  CredentialStore,
  InteractionBroker,
  PersonalCredentials,
  UserIdentities,
  UserIdentity,
} from "../../../engine/mcp-ports";

interface PersonParts {
  credentials: CredentialStore;
  interactions: InteractionBroker;
  /** Absent where no identity provider proves anything about users. */
  identity: UserIdentity | undefined;
}

/**
 * What the connections of one user use: that user's sign-ins and identity, and questions that are that user's to answer.
 * One store per user: a connection that closes and the next one share their token refreshes by it.
 */
export function createPersonParts(
  credentials: PersonalCredentials,
  interactions: InteractionBroker,
  identities: UserIdentities | undefined,
): (person: string) => PersonParts {
  const known = new Map<string, PersonParts>();
  return (person) => {
    const parts = known.get(person) ?? {
      credentials: createStore(credentials, person),
      interactions: { ask: (question, signal) => interactions.ask({ ...question, person }, signal) },
      identity: identities && toIdentity(identities, person),
    };
    known.set(person, parts);
    return parts;
  };
}

function toIdentity(identities: UserIdentities, person: string): UserIdentity {
  return {
    requestGrant: (request) => identities.requestGrant(person, request),
    exchange: (request) => identities.exchange(person, request),
    discard: identities.discard,
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
