import type { Actor } from "../../../lib/contract/actor";
import type { ConnectionState } from "../../../lib/contract/connection-state";
import type { CredentialHolder, CredentialInfo, OwnConnection, SignInLink } from "../../../lib/contract/credential";
import type { Problem } from "../../../lib/contract/problem";
import type { ServerSettings } from "../../../lib/contract/server";
import { type IdentityAuth, SERVER_KINDS, usesIdentity } from "../../../lib/contract/server-kind";
import { getAuth } from "../../../lib/server-settings/setting-fields";
import type { McpConnections, PersonalCredentials, PersonalSlots, UserIdentities } from "../../engine/mcp-ports";
import { AppError, invalidInput } from "../../platform/shared/app-error";
import { toRefusalOfThrown } from "../../platform/shared/upstream-error";
import { personalSlots, toPersonalSlots } from "./personal-slots";
import type { SignInLinks } from "./sign-in-links";
import { VALUE_LISTS } from "./value-lists";

export interface UpstreamCredentialPorts {
  store: UpstreamCredentialStore;
  connections: Pick<McpConnections, "credentialsChanged" | "reconnect" | "startedSignIn" | "finishSignIn">;
  /** @throws AppError NOT_FOUND */
  /** @throws AppError for a server that is unknown or switched off */
  requireEnabled: (server: string) => void;
  getSettings(server: string): ServerSettings;
  isUser(id: string): boolean;
  /** Null while accounts are off. */
  identities: Identities | null;
  links: Pick<SignInLinks, "view">;
  publish(server: string): void;
  /** Tells the other instances that a user's credentials have changed. */
  tellInstances(user: string): Promise<void>;
}

/** What identity providers prove about users. */
interface Identities extends Pick<UserIdentities, "isProven"> {
  findProvider(issuer: string | null): string | null;
}

const NO_PROVIDER = "Toolroom has no single sign-on: an admin sets it up";
const NO_PERSON = "Only people have credentials of their own: sign in with an account";

/**
 * Each user's own credentials for MCP servers. Credentials of other users are out of reach, and no value can be read
 * back.
 */
export function createUpstreamCredentialService(ports: UpstreamCredentialPorts) {
  const { store, connections } = ports;

  async function changed(server: string, user: string): Promise<void> {
    await connections.credentialsChanged(user);
    await ports.tellInstances(user);
    ports.publish(server);
  }

  function requireUser({ id }: Actor): void {
    if (!ports.isUser(id)) throw new AppError("INVALID", NO_PERSON);
  }

  /** The connection of an actor whom an identity provider lets in. */
  async function readIdentity({ id }: Actor, server: string, auth: IdentityAuth): Promise<OwnConnection> {
    const issuer = auth.type === "token_exchange" ? auth.issuer : null;
    const isProven = (await ports.identities?.isProven(id, issuer)) === true;
    const row = (await store.ofUser(id)).find((each) => each.server === server);
    const provider = ports.identities?.findProvider(issuer) ?? null;
    const other = issuer === null ? NO_PROVIDER : `Call its tools with a token of ${issuer}`;
    return {
      kind: "identity",
      slots: [],
      connectedAt: row?.status === "ready" ? row.updatedAt : null,
      provider,
      isProven,
      refusal: !ports.isUser(id) ? NO_PERSON : provider === null && !isProven ? other : null,
    };
  }

  return {
    /** Lists the credentials that the actor has stored, for any server. */
    list: (actor: Actor): Promise<CredentialInfo[]> => store.ofUser(actor.id),

    /** The actor's own connection; null for a server with a shared credential. */
    async own(actor: Actor, server: string): Promise<OwnConnection | null> {
      const settings = ports.getSettings(server);
      const slots = personalSlots(settings);
      if (slots === null) return null;
      const auth = getAuth(settings);
      if (usesIdentity(auth)) return await readIdentity(actor, server, auth);
      const kind = slots.length === 0 ? "oauth" : "values";
      const stored = await readValues(store, settings, actor.id);
      const rows = (await store.ofUser(actor.id)).filter((row) => row.server === server && row.kind === kind);
      const complete = kind === "oauth" || slots.every(({ name }) => Object.hasOwn(stored, name));
      const [row] = rows.filter(({ status }) => status === "ready" && complete);
      return {
        kind,
        slots: slots.map((slot) => ({ ...slot, stored: Object.hasOwn(stored, slot.name) })),
        connectedAt: row?.updatedAt ?? null,
        refusal: ports.isUser(actor.id) ? null : NO_PERSON,
      };
    },

    /** Lists the users who have connected, without their values. */
    async holders(_actor: Actor, server: string): Promise<CredentialHolder[]> {
      ports.getSettings(server);
      return await store.holders(server);
    },

    /** @param values by slot; a slot without one keeps the stored value */
    async save(actor: Actor, server: string, values: Readonly<Record<string, string>>): Promise<void> {
      requireUser(actor);
      const settings = ports.getSettings(server);
      const personal = toPersonalSlots(settings);
      if (personal === undefined || personal.slots.length === 0) {
        throw new AppError("INVALID", `Server '${server}' takes no values from people`);
      }
      const merged = { ...(await readValues(store, settings, actor.id)), ...values };
      const problems = personal.slots.flatMap((slot) => findValueProblem(slot, merged, settings.transport, personal));
      if (problems.length > 0) throw invalidInput("The values are invalid: ", problems);
      const kept = Object.fromEntries(personal.slots.map((slot) => [slot, merged[slot] ?? ""]));
      await store.writeValues(server, actor.id, { binding: personal.binding, values: kept });
      await changed(server, actor.id);
    },

    /** Connects with what is stored, to show whether it works. */
    async test(actor: Actor, server: string): Promise<ConnectionState> {
      requireUser(actor);
      ports.requireEnabled(server);
      try {
        return await connections.reconnect(server, actor.id);
      } catch (error) {
        throw toRefusalOfThrown(error);
      }
    },

    /** Deletes the credential and ends the connection that uses it. */
    async remove(actor: Actor, server: string): Promise<void> {
      await store.delete(server, actor.id);
      await changed(server, actor.id);
    },

    /** What a call that waits for the actor's account is about. @throws AppError for a link that is not theirs, or not open */
    signInLink: (actor: Actor, id: string): Promise<SignInLink> => ports.links.view(actor, id),

    /** Whether a callback of an authorization server belongs to a sign-in that this user started. */
    startedSignIn: async (user: string, params: URLSearchParams): Promise<boolean> =>
      ports.isUser(user) && (await connections.startedSignIn(params, user)),

    /** The authorization server sent the actor back. @returns the path of the console page to continue on */
    async finishSignIn(actor: Actor, params: URLSearchParams): Promise<{ server: string; path: string }> {
      requireUser(actor);
      const { server, returnTo } = await connections.finishSignIn(params, actor.id);
      await ports.tellInstances(actor.id);
      ports.publish(server);
      return { server, path: returnTo ?? `/servers/${encodeURIComponent(server)}` };
    },

    /** A user was switched off, removed, or signed in with the identity provider: their connections follow. */
    async identityChanged(id: string): Promise<void> {
      await connections.credentialsChanged(id);
      await ports.tellInstances(id);
    },
  };
}

/** Null where the values were entered for another address. */
async function readValues(
  store: Pick<UpstreamCredentialStore, "read">,
  settings: ServerSettings,
  user: string,
): Promise<Readonly<Record<string, string>>> {
  const stored = await store.read(settings.name, user);
  return stored?.kind === "values" && stored.binding === toPersonalSlots(settings)?.binding ? stored.values : {};
}

function findValueProblem(
  slot: string,
  values: Readonly<Record<string, string>>,
  transport: ServerSettings["transport"],
  { query }: PersonalSlots,
): Problem[] {
  const value = Object.hasOwn(values, slot) ? (values[slot] ?? "") : "";
  const problem = (message: string): Problem[] => [{ path: `values.${slot}`, message }];
  if (value.trim() === "") return problem("is required");
  const list = query?.includes(slot) ? "query" : SERVER_KINDS[transport].slots;
  const message = VALUE_LISTS[list].findValueProblem(value);
  return message === null ? [] : problem(message);
}

/** A user's values, and the target for which they were entered. */
interface EnteredValues {
  binding: string;
  values: Readonly<Record<string, string>>;
}

/** Each user's own credentials for MCP servers, encrypted for that server and user. */
export interface UpstreamCredentialStore extends PersonalCredentials {
  writeValues(server: string, user: string, entered: EnteredValues): Promise<void>;
  delete(server: string, user: string): Promise<void>;
  /** Lists a user's credentials in order of the servers' names. */
  ofUser(user: string): Promise<CredentialInfo[]>;
  /** Lists the users with credentials in order of their names. */
  holders(server: string): Promise<CredentialHolder[]>;
}
