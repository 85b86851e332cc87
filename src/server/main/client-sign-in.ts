import { isLoopbackName } from "../../lib/http-guard/host-policy";
import type { OwnClientDocument } from "../mcp/client/oauth/oauth-client-settings";
import type { Env } from "./env";

/**
 * The origin at which MCP clients may sign in: of a public URL that is safe to send tokens to. Null where they may not.
 * @param variable what asks for it, for the message
 * @throws Error where `TOOLROOM_OAUTH=on` cannot be had
 */
export function decideOauthOrigin(
  { oauth, publicUrl }: Pick<Env, "oauth" | "publicUrl">,
  accounts: boolean,
  variable = "TOOLROOM_OAUTH=on",
): string | null {
  const url = publicUrl === null ? null : new URL(publicUrl);
  const problem = findProblem(url, accounts);
  if (oauth === "on" && problem !== null) throw new Error(`${variable} ${problem}`);
  return oauth === "off" || problem !== null ? null : publicUrl;
}

/**
 * The document by which authorization servers of MCP servers identify this Toolroom; null where there is none, since
 * they fetch it over https.
 */
export function decideClientDocument({
  clientDocument,
  publicUrl,
}: Pick<Env, "clientDocument" | "publicUrl">): OwnClientDocument | null {
  const isServed = clientDocument !== "off" && publicUrl?.startsWith("https:") === true;
  if (clientDocument === "on" && !isServed) {
    throw new Error("TOOLROOM_CLIENT_DOCUMENT=on needs an https address in TOOLROOM_PUBLIC_URL");
  }
  return isServed
    ? { url: `${publicUrl}/oauth/client-metadata.json`, redirectUrl: `${publicUrl}/oauth/callback` }
    : null;
}

function findProblem(url: URL | null, accounts: boolean): string | null {
  if (!accounts) return "needs accounts: set TOOLROOM_AUTH=on";
  if (url === null) return "needs the address that browsers and clients reach the server at: set TOOLROOM_PUBLIC_URL";
  const local = isLoopbackName(url.hostname.replace(/[[\]]/g, ""));
  const isSafe = url.protocol === "https:" || local;
  return isSafe ? null : "needs an https address, or one of this machine, in TOOLROOM_PUBLIC_URL";
}
