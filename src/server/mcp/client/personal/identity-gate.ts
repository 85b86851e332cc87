import type { ConnectionState } from "../../../../lib/contract/connection-state";
import { type IdentityAuth, usesIdentity } from "../../../../lib/contract/server-kind";
import { getAuth } from "../../../../lib/server-settings/setting-fields";
import { ToolFailure } from "../../../engine/failures";
import type { ConnectionSettings, UserIdentities } from "../../../engine/mcp-ports";
import type { SignInAsks } from "./sign-in-asks";
import type { PlainConnections } from "./user-pool";

/** Sign-ins by an identity provider have no page of the server. */
const NO_PAGE = "";

export const readIdentityAuth = (settings: ConnectionSettings): IdentityAuth | null => {
  const auth = getAuth(settings);
  return usesIdentity(auth) ? auth : null;
};

/** Admits the calls of users whose identity is proven to servers that an identity provider lets them in to. */
export class IdentityGate {
  readonly #asks: SignInAsks;
  readonly #identities: UserIdentities | undefined;
  /** Attempts to connect again after a refusal, which the calls that begin until their end share. */
  readonly #retries = new WeakMap<PlainConnections, Promise<ConnectionState>>();

  constructor(asks: SignInAsks, identities: UserIdentities | undefined) {
    this.#asks = asks;
    this.#identities = identities;
  }

  /** @param hasToken a token of an earlier call may still be valid @throws ToolFailure for a user whose identity is not proven */
  async requireIdentity(server: string, user: string, auth: IdentityAuth, hasToken: boolean): Promise<void> {
    const issuer = auth.type === "token_exchange" ? auth.issuer : null;
    if (hasToken && issuer === null) return;
    if ((await this.#identities?.isProven(user, issuer)) !== true) {
      throw this.#asks.toFailure(server, describeMissingIdentity(server, issuer));
    }
  }

  /** Each call after a refusal asks again, since what refused may have been changed. */
  async requireToken(
    server: string,
    auth: IdentityAuth,
    connections: PlainConnections,
    signal?: AbortSignal,
  ): Promise<void> {
    const before = connections.state(server)?.status;
    const state = await (before === "failed" || before === "sign_in_needed"
      ? this.#retry(server, connections)
      : connections.ready(server, signal));
    if (state.status === "sign_in_needed") {
      throw this.#asks.toFailure(server, state.reason ?? describeMissingIdentity(server, null));
    }
    if (auth.type !== "cross_app_access" || state.status !== "connected" || connections.signedIn(server)) return;
    // The server lets a connection without a token call its tools.
    await connections.startSignIn(server, NO_PAGE).catch((error: unknown) => {
      throw this.#toAskable(server, error);
    });
    if (connections.signedIn(server)) return;
    throw new ToolFailure("rejected", `Server '${server}' gave no token: it names no authorization server`);
  }

  /** The error of a call that its server did not run: where its user has to sign in again, it can be repeated. */
  toAskable(settings: ConnectionSettings | undefined, error: unknown): unknown {
    if (settings === undefined || readIdentityAuth(settings) === null) return error;
    return this.#toAskable(settings.name, error);
  }

  #toAskable(server: string, error: unknown): unknown {
    const { name, kind, message } = error as Partial<ToolFailure>;
    return name === "ToolFailure" && kind === "sign_in_needed" ? this.#asks.toFailure(server, message) : error;
  }

  #retry(server: string, connections: PlainConnections): Promise<ConnectionState> {
    const pending = this.#retries.get(connections);
    if (pending !== undefined) return pending;
    const retry = connections.reconnect(server).finally(() => this.#retries.delete(connections));
    this.#retries.set(connections, retry);
    return retry;
  }
}

function describeMissingIdentity(server: string, issuer: string | null): string {
  return issuer === null
    ? `Sign in to Toolroom with single sign-on to use '${server}'`
    : `Call '${server}' with a token of ${issuer}, or sign in to Toolroom with single sign-on there`;
}
