import { auth, computeScopeUnion } from "@modelcontextprotocol/client";
import type { ConnectionState } from "../../../../lib/contract/connection-state";
import { getAuth } from "../../../../lib/server-settings/setting-fields";
import { ToolFailure } from "../../../engine/failures";
import { createKeyedMutex } from "../../../platform/shared/mutex";
import type { ServerConnection } from "../connection/server-connection";
import { describeHttpError, getMessage } from "../session/describe-error";
import type { SessionOpener } from "../session/session-opener";
import type { SignInChannel } from "../transport/http-channel";
import { abortable } from "../wait";
import type { AccessChallenge } from "./access-challenge";

interface SignInTarget {
  connection: ServerConnection;
  opener: SessionOpener;
}

/** The addresses to which the authorization server, and then the console, send the user who signs in. */
export interface SignInUser {
  redirectUrl: string;
  returnTo: string | null;
}

const QUOTED_CHARS = 300;
const NO_DEMAND: AccessChallenge = { resourceMetadataUrl: undefined, scope: undefined };

export class SignIns {
  /** Users who start a sign-in right now, by server; connections without one run in the background. */
  readonly #users = new Map<string, SignInUser>();
  readonly #signedIn = new Map<string, boolean>();
  /** One at a time for each server: two that start together would each register a client, and only one is kept. */
  readonly #starting = createKeyedMutex();
  /**
   * What servers demanded when they stopped a connection until a user signs in. Kept although the server may have
   * reconnected since: many servers demand a sign-in only to list or to call their tools.
   */
  readonly #demands = new Map<string, AccessChallenge>();

  user(server: string): SignInUser | null {
    return this.#users.get(server) ?? null;
  }

  signedIn(server: string): boolean {
    return this.#signedIn.get(server) ?? false;
  }

  forget(server: string): void {
    this.#users.delete(server);
    this.#signedIn.delete(server);
    this.#demands.delete(server);
  }

  /** Called after a server's settings changed: its former demand may not apply to them. */
  clearDemand(server: string): void {
    this.#demands.delete(server);
  }

  recordState(server: string, { status }: ConnectionState, opener: SessionOpener): void {
    if (status === "sign_in_needed") this.#demands.set(server, opener.signIn?.challenge() ?? NO_DEMAND);
  }

  /** Looks up whether the server has a token, for `signedIn`. */
  async refresh(server: string, opener: SessionOpener): Promise<void> {
    this.#signedIn.set(server, (await opener.signIn?.provider.signedIn()) ?? false);
  }

  /** @returns the address of the sign-in page; null when the server is connected and demands no sign-in */
  start(server: string, target: SignInTarget, user: SignInUser): Promise<string | null> {
    return this.#starting(server, () => this.#start(server, target, user));
  }

  async #start(server: string, target: SignInTarget, user: SignInUser): Promise<string | null> {
    const { settings } = target.connection;
    const auth = getAuth(settings);
    if (auth.type === "none") {
      throw new ToolFailure("tool_error", `Server '${server}' has no sign-in: choose OAuth in its settings first`);
    }
    if (!settings.enabled) throw new ToolFailure("unavailable", `Server '${server}' is disabled: enable it first`);
    this.#users.set(server, user);
    try {
      const { signIn } = target.opener;
      if (auth.type === "cross_app_access" && signIn !== null) {
        await prepareSignIn(server, signIn, this.#demands.get(server) ?? NO_DEMAND, target);
        await this.refresh(server, target.opener);
        return null;
      }
      const demand = this.#demands.get(server);
      if (auth.type === "oauth" && demand !== undefined && signIn !== null) {
        return await prepareSignIn(server, signIn, demand, target);
      }
      return await this.#startByConnecting(server, target);
    } finally {
      this.#users.delete(server);
    }
  }

  /** Connects while the user is present, so that a challenge of the server leads to a sign-in page. */
  async #startByConnecting(server: string, { connection, opener }: SignInTarget): Promise<string | null> {
    const state = await connection.reconnect();
    const { signIn } = opener;
    if (state.status !== "connected") {
      const url = signIn?.provider.pendingUrl() ?? null;
      if (url !== null) return url;
      throw new ToolFailure("unavailable", `Could not sign in to '${server}': ${state.reason ?? state.status}`);
    }
    if (signIn === null || (await signIn.provider.signedIn())) return null;
    try {
      // The server may demand a sign-in for its tools only; the user can sign in beforehand where it says how.
      return await prepareSignIn(server, signIn, NO_DEMAND, { connection, opener });
    } catch (error) {
      connection.log.add("toolroom", "info", `The server offers no sign-in: ${getMessage(error)}`);
      return null;
    }
  }

  async finish(
    servers: ReadonlyMap<string, SignInTarget>,
    params: URLSearchParams,
  ): Promise<{ server: string; returnTo: string | null }> {
    for (const [server, target] of servers) {
      const { signIn } = target.opener;
      if (signIn === null || !(await isWaiting(signIn, params.get("state"), target))) continue;
      const returnTo = signIn.provider.returnTo();
      await exchangeCode(server, signIn, params, target);
      this.#demands.delete(server);
      await this.refresh(server, target.opener);
      void target.connection.reconnect();
      return { server, returnTo };
    }
    throw new ToolFailure(
      "not_found",
      "This sign-in has expired or is already complete. Start it again on the server's page",
    );
  }

  async signOut(server: string, target: SignInTarget): Promise<void> {
    await target.opener.signIn?.provider.clear();
    this.#signedIn.set(server, false);
    this.#demands.delete(server);
    await target.connection.reconnect();
  }
}

/**
 * Prepares an authorization request for the demanded scopes and those of earlier sign-ins. Always a new one, since the
 * background has already tried to renew the tokens.
 */
async function prepareSignIn(
  server: string,
  { provider, url, fetch, skipIssuerMetadataValidation, errorContext }: SignInChannel,
  { resourceMetadataUrl, scope: demanded }: AccessChallenge,
  { connection }: SignInTarget,
): Promise<string | null> {
  // Loads the scopes of the last sign-in: this connection may not have sent a request yet.
  await provider.tokens();
  const scope = demanded === undefined ? undefined : computeScopeUnion(provider.askedScope(), demanded);
  provider.demandScope(scope);
  const { connectTimeoutMs } = connection.settings;
  const limit = AbortSignal.timeout(connectTimeoutMs);
  try {
    await auth(provider, {
      serverUrl: url,
      // A server's sign-ins run one at a time, so each has a timeout: one that hangs would block all others.
      fetchFn: (target, init) => fetch(target, { ...init, signal: limit }),
      forceReauthorization: true,
      skipIssuerMetadataValidation,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(scope === undefined ? {} : { scope }),
    });
  } catch (error) {
    const { kind, status, message } = describeHttpError(error, errorContext);
    if (kind !== null || (status === "sign_in_needed" && getAuth(connection.settings).type === "cross_app_access")) {
      throw new ToolFailure(kind ?? "sign_in_needed", `Server '${server}': ${message}`);
    }
    const timeoutReason = `no response within ${connectTimeoutMs / 1000} s from where the server says to sign in`;
    const reason = limit.aborted ? timeoutReason : connection.log.quote(getMessage(error), QUOTED_CHARS);
    throw new ToolFailure("unavailable", `Could not sign in to '${server}': ${reason}`);
  }
  return provider.pendingUrl();
}

/** False also when the lookup fails, so that other servers can finish their sign-ins. */
async function isWaiting({ provider }: SignInChannel, state: string | null, target: SignInTarget): Promise<boolean> {
  try {
    return await provider.stateMatches(state);
  } catch (error) {
    target.connection.log.add("toolroom", "error", `A sign-in could not be looked up: ${getMessage(error)}`);
    return false;
  }
}

/** @throws ToolFailure with the authorization server's words, shortened and without what we sent it */
async function exchangeCode(
  server: string,
  { transport }: SignInChannel,
  params: URLSearchParams,
  { opener, connection }: SignInTarget,
): Promise<void> {
  opener.addSecret(params.get("code"));
  const { connectTimeoutMs } = connection.settings;
  const limit = AbortSignal.timeout(connectTimeoutMs);
  try {
    await abortable(transport.finishAuth(params), limit);
  } catch (error) {
    const timeoutReason = `the authorization server did not answer within ${connectTimeoutMs / 1000} s; sign in again`;
    const reason = error === limit.reason ? timeoutReason : connection.log.quote(getMessage(error), QUOTED_CHARS);
    connection.log.add("toolroom", "error", `The sign-in failed: ${reason}`);
    throw new ToolFailure("unavailable", `Server '${server}': ${reason}`);
  }
}
