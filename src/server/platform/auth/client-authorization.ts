import { oauthProvider } from "@better-auth/oauth-provider";
import type { BetterAuthPlugin } from "better-auth/types";
import { MCP_SCOPES } from "../../../lib/contract/connected-client";

const ACCESS_TOKEN_SECONDS = 10 * 60;
const REFRESH_TOKEN_SECONDS = 30 * 24 * 60 * 60;
/** The lifetime of a code, and of the consent page before it. */
const CODE_SECONDS = 10 * 60;
/** A client that lost the response may ask again with the same refresh token for this long. */
const REUSE_SECONDS = 30;
/** A limit for one address, which a whole team may share. */
const perMinute = (max: number) => ({ window: 60, max });

/** How MCP clients may sign in. */
export interface ClientSignIn {
  /** The origin of the public URL. */
  origin: string;
  consentPage: string;
  tokenPrefix: string;
  createToken(): string;
  hashToken(token: string): string;
}

/**
 * The authorization server for MCP clients. Access tokens are random texts in a table, so that one is checked with an
 * indexed read and ends when its row does; the library's signed ones live until they expire.
 */
export function createClientAuthorization(options: ClientSignIn): BetterAuthPlugin {
  const { origin, consentPage, tokenPrefix, createToken, hashToken } = options;
  const plugin = oauthProvider({
    disableJwtPlugin: true,
    loginPage: "/sign-in",
    consentPage,
    scopes: [...Object.keys(MCP_SCOPES), "offline_access"],
    resources: [`${origin}/mcp`],
    // Addresses of single servers are added when a client first requests one.
    enforcePerClientResources: false,
    grantTypes: ["authorization_code", "refresh_token"],
    accessTokenExpiresIn: ACCESS_TOKEN_SECONDS,
    refreshTokenExpiresIn: REFRESH_TOKEN_SECONDS,
    refreshTokenReuseInterval: REUSE_SECONDS,
    codeExpiresIn: CODE_SECONDS,
    allowDynamicClientRegistration: true,
    allowUnauthenticatedClientRegistration: true,
    storeTokens: { hash: async (token) => hashToken(token) },
    prefix: { opaqueAccessToken: tokenPrefix },
    generateOpaqueAccessToken: createToken,
    generateRefreshToken: createToken,
    rateLimit: { register: perMinute(10), authorize: perMinute(60), token: perMinute(120) },
  });
  return plugin as unknown as BetterAuthPlugin;
}
