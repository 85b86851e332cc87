import type { ServerPrompt, ServerResource } from "../../../lib/contract";
import { messageOf } from "../../../lib/message-of";
import { AppError } from "../../app-error";
import type { McpConnections } from "../../engine/mcp-ports";

/**
 * What is asked of a server when a person looks.
 * @param require throws for an unknown server
 */
export function createServerRequests(connections: McpConnections, require: (name: string) => void) {
  /** A server's refusal or silence becomes an answer that a person can read. */
  async function asking<T>(name: string, ask: () => Promise<T>): Promise<T> {
    require(name);
    try {
      return await ask();
    } catch (error) {
      throw new AppError("UNAVAILABLE", messageOf(error));
    }
  }

  return {
    resources: (name: string): Promise<ServerResource[]> => asking(name, () => connections.listResources(name)),
    readResource: (name: string, uri: string): Promise<{ text: string }> =>
      asking(name, async () => ({ text: await connections.readResource(name, uri) })),
    prompts: (name: string): Promise<ServerPrompt[]> => asking(name, () => connections.listPrompts(name)),
    getPrompt: (name: string, prompt: string, args: Record<string, string>): Promise<{ text: string }> =>
      asking(name, async () => ({ text: await connections.getPrompt(name, prompt, args) })),

    startSignIn: (name: string, origin: string): Promise<{ url: string | null }> =>
      asking(name, async () => ({
        url: await connections.startSignIn(name, `${new URL(origin).origin}/oauth/callback`),
      })),
    finishSignIn: (params: URLSearchParams): Promise<{ server: string }> => connections.finishSignIn(params),
  };
}
