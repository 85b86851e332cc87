import { createPrivateKey } from "node:crypto";
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import { type AddClientAuthentication, createPrivateKeyJwtAuth } from "@modelcontextprotocol/client";
import type { ServerAuth } from "../../../../lib/contract/server";
import { ConnectionError } from "../session/connection-error";
import { CLIENT_NAME, expandClientSetting } from "./oauth-client-settings";
import type { CredentialFile } from "./oauth-credentials";
import { createUnattendedParts, findIssuer, withScope } from "./unattended-sign-in";

/**
 * Signs in with a client id and a secret or a private key, without a user. The secret is only ever sent to the
 * authorization server that the MCP server named first; a private key only signs and is never sent.
 */
export function createClientCredentialsProvider(
  settings: Extract<ServerAuth, { type: "client_credentials" | "private_key_jwt" }>,
  variables: Readonly<Record<string, string | undefined>>,
  file: CredentialFile,
  now: () => number,
): OAuthClientProvider {
  const clientId = (): string => expandClientSetting("OAuth client id", settings.clientId, variables);
  return {
    ...createUnattendedParts({ file, now, subject: "Client credentials need" }),
    ...(settings.type === "private_key_jwt"
      ? { addClientAuthentication: signAssertions(settings, clientId, variables) }
      : {}),
    get clientMetadata() {
      return {
        client_name: CLIENT_NAME,
        redirect_uris: [],
        grant_types: ["client_credentials"],
        ...(settings.type === "private_key_jwt" ? { token_endpoint_auth_method: "private_key_jwt" } : {}),
        ...(settings.scope ? { scope: settings.scope } : {}),
      };
    },
    async clientInformation(ctx) {
      const issuer = await findIssuer(file, ctx?.issuer);
      return {
        client_id: clientId(),
        ...getClientSecret(settings, variables),
        ...(issuer === undefined ? {} : { issuer }),
      };
    },
    prepareTokenRequest: (scope) =>
      withScope(new URLSearchParams({ grant_type: "client_credentials" }), settings.scope, scope),
  };
}

function getClientSecret(
  settings: Extract<ServerAuth, { type: "client_credentials" | "private_key_jwt" }>,
  variables: Readonly<Record<string, string | undefined>>,
): { client_secret?: string } {
  if (settings.type === "private_key_jwt") return {};
  if (!settings.clientSecret) throw new Error("The OAuth client secret is not set: type it in the server's settings");
  return { client_secret: expandClientSetting("OAuth client secret", settings.clientSecret, variables) };
}

/** Authenticates token requests with a JWT signed by the configured private key (RFC 7523, `private_key_jwt`). */
function signAssertions(
  { privateKey, algorithm }: Extract<ServerAuth, { type: "private_key_jwt" }>,
  clientId: () => string,
  variables: Readonly<Record<string, string | undefined>>,
): AddClientAuthentication {
  return async (...request) => {
    const issuer = clientId();
    const key = toPkcs8(expandClientSetting("private key", privateKey ?? "", variables));
    const sign = createPrivateKeyJwtAuth({ issuer, subject: issuer, privateKey: key, alg: algorithm });
    try {
      await sign(...request);
    } catch (error) {
      throw new ConnectionError(
        "failed",
        `The private key cannot sign with ${algorithm}: choose the algorithm that matches the key`,
        {
          cause: error,
        },
      );
    }
  };
}

/**
 * Converts any unencrypted PEM key to PKCS #8. A form may have lost its line breaks, and a variable may hold them as `\\n`.
 * @throws ConnectionError without any of the key
 */
export function toPkcs8(text: string): string {
  const plain = text.replaceAll("\\n", "\n").trim();
  const [, label = "", body = ""] = /^-----BEGIN ([A-Z ]+)-----([\s\S]*)-----END \1-----$/.exec(plain) ?? [];
  const lines = body.replace(/\s+/g, "").match(/.{1,64}/g) ?? [];
  try {
    const key = createPrivateKey([`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n"));
    return key.export({ type: "pkcs8", format: "pem" }).toString();
  } catch {
    throw new ConnectionError(
      "failed",
      "The private key cannot be read: paste it in PEM format, without a passphrase, beginning with -----BEGIN PRIVATE KEY-----",
    );
  }
}
