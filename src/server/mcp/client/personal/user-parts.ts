import type {
  CredentialStore,
  InteractionBroker,
  PersonalCredentials,
  UserIdentities,
  UserIdentity,
} from "../../../engine/mcp-ports";

interface UserParts {
  credentials: CredentialStore;
  interactions: InteractionBroker;
  /** Absent where no identity provider proves anything about users. */
  identity: UserIdentity | undefined;
}

/**
 * What the connections of one user use: that user's sign-ins and identity, and questions that are that user's to answer.
 * One store per user: a connection that closes and the next one share their token refreshes by it.
 */
export function createUserParts(
  credentials: PersonalCredentials,
  interactions: InteractionBroker,
  identities: UserIdentities | undefined,
): (user: string) => UserParts {
  const known = new Map<string, UserParts>();
  return (user) => {
    const parts = known.get(user) ?? {
      credentials: createStore(credentials, user),
      interactions: { ask: (question, signal) => interactions.ask({ ...question, person: user }, signal) },
      identity: identities && toIdentity(identities, user),
    };
    known.set(user, parts);
    return parts;
  };
}

function toIdentity(identities: UserIdentities, user: string): UserIdentity {
  return {
    requestGrant: (request) => identities.requestGrant(user, request),
    exchange: (request) => identities.exchange(user, request),
    discard: identities.discard,
  };
}

function createStore(credentials: PersonalCredentials, user: string): CredentialStore {
  return {
    async read(server) {
      const stored = await credentials.read(server, user);
      return stored?.kind === "oauth" ? stored.text : null;
    },
    write: (server, text) => credentials.writeSignIn(server, user, text),
    exclusively: (server, work) => credentials.exclusively?.(server, user, work) ?? work(),
  };
}
