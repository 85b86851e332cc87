import type { Actor } from "../../../lib/contract/actor";
import { messageOf } from "../../../lib/message-of";
import type { McpConnections } from "../../engine/mcp-ports";
import { AppError } from "../../platform/shared/app-error";

/**
 * Requests that a user's visit sends to a server.
 * @param find throws for an unknown server
 * @param isOwnOrigin whether an address leads to this console: an authorization server sends its codes there
 */
export function createServerRequests(
  connections: McpConnections,
  find: (name: string) => unknown,
  isOwnOrigin: (origin: string) => boolean,
) {
  /** Turns a server's refusal or timeout into an error for the user. */
  async function request<T>(name: string, send: () => Promise<T>): Promise<T> {
    find(name);
    try {
      return await send();
    } catch (error) {
      throw new AppError("UNAVAILABLE", messageOf(error));
    }
  }

  return {
    async startSignIn(
      actor: Actor,
      name: string,
      origin: string,
      returnTo: string | null,
    ): Promise<{ url: string | null }> {
      if (!isOwnOrigin(origin)) {
        throw new AppError(
          "INVALID",
          "origin: must be an address of this console. TOOLROOM_ALLOWED_HOSTS lists its names",
        );
      }
      return await request(name, async () => ({
        url: await connections.startSignIn(name, `${new URL(origin).origin}/oauth/callback`, returnTo, actor.id),
      }));
    },
    /** @returns the path of the console page to continue on */
    async finishSignIn(_actor: Actor, params: URLSearchParams): Promise<{ path: string }> {
      const { server, returnTo } = await connections.finishSignIn(params);
      return { path: returnTo ?? `/servers/${encodeURIComponent(server)}` };
    },
  };
}
