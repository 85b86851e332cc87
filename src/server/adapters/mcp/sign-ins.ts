import { ToolFailure } from "../../engine/failures";
import { messageOf } from "./describe-fault";
import type { SessionOpener, SignInChannel } from "./open-session";
import type { ServerConnection } from "./server-connection";

interface SignInTarget {
  connection: ServerConnection;
  opener: SessionOpener;
}

const QUOTED_CHARS = 300;

/** Leads a person through a server's sign-in and back. */
export class SignIns {
  /** Callback addresses of the sign-ins that are being begun; everything else runs in the background. */
  readonly #redirectUrls = new Map<string, string>();
  readonly #signedIn = new Map<string, boolean>();

  redirectUrl(server: string): string | null {
    return this.#redirectUrls.get(server) ?? null;
  }

  signedIn(server: string): boolean {
    return this.#signedIn.get(server) ?? false;
  }

  forget(server: string): void {
    this.#redirectUrls.delete(server);
    this.#signedIn.delete(server);
  }

  /** Looks up whether there is a token, for `signedIn`. */
  async refresh(server: string, opener: SessionOpener): Promise<void> {
    this.#signedIn.set(server, (await opener.signIn?.provider.signedIn()) ?? false);
  }

  /** Connects anew with a person present: the server's challenge then leads to an address instead of to a refusal. */
  async start(server: string, target: SignInTarget, redirectUrl: string): Promise<string | null> {
    const { settings } = target.connection;
    if (settings.transport === "stdio" || settings.auth.type === "none") {
      throw new ToolFailure("tool_error", `Server '${server}' has no sign-in: choose OAuth in its settings first`);
    }
    if (!settings.enabled) throw new ToolFailure("unavailable", `Server '${server}' is disabled: enable it first`);
    this.#redirectUrls.set(server, redirectUrl);
    try {
      const state = await target.connection.reconnect();
      if (state.status === "connected") return null;
      const url = target.opener.signIn?.provider.pendingUrl() ?? null;
      if (url !== null) return url;
      throw new ToolFailure(
        "unavailable",
        `The sign-in to '${server}' could not be begun: ${state.reason ?? state.status}`,
      );
    } finally {
      this.#redirectUrls.delete(server);
    }
  }

  async finish(servers: ReadonlyMap<string, SignInTarget>, params: URLSearchParams): Promise<{ server: string }> {
    for (const [server, target] of servers) {
      const { signIn } = target.opener;
      if (signIn === null || !(await isWaiting(signIn, params.get("state"), target))) continue;
      await exchangeCode(server, signIn, params, target);
      await this.refresh(server, target.opener);
      void target.connection.reconnect();
      return { server };
    }
    throw new ToolFailure(
      "not_found",
      "No server waits for this sign-in: it took too long, or was finished already. Begin it again on the server's page",
    );
  }

  async signOut(server: string, target: SignInTarget): Promise<void> {
    await target.opener.signIn?.provider.clear();
    this.#signedIn.set(server, false);
    await target.connection.reconnect();
  }
}

/** One server whose sign-in cannot be looked at is not in the way of the others'. */
async function isWaiting({ provider }: SignInChannel, state: string | null, target: SignInTarget): Promise<boolean> {
  try {
    return await provider.stateMatches(state);
  } catch (error) {
    target.connection.log.add("toolroom", "error", `A sign-in could not be looked up: ${messageOf(error)}`);
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
  try {
    await transport.finishAuth(params);
  } catch (error) {
    const reason = connection.log.quote(messageOf(error), QUOTED_CHARS);
    connection.log.add("toolroom", "error", `The sign-in failed: ${reason}`);
    throw new ToolFailure("unavailable", `Server '${server}': ${reason}`);
  }
}
