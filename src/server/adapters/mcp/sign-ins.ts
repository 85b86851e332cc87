import { ToolFailure } from "../../engine/failures";
import type { SessionOpener } from "./open-session";
import type { ServerConnection } from "./server-connection";

interface SignInTarget {
  connection: ServerConnection;
  opener: SessionOpener;
}

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
      if (signIn === null || !(await signIn.provider.stateMatches(params.get("state")))) continue;
      await signIn.transport.finishAuth(params);
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
