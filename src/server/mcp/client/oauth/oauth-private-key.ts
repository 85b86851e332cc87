import { createPrivateKey } from "node:crypto";
import { type AddClientAuthentication, createPrivateKeyJwtAuth } from "@modelcontextprotocol/client";
import type { ServerAuth } from "../../../../lib/contract/server";
import { ConnectionError } from "../session/connection-error";
import { expandClientSetting } from "./oauth-client-settings";

/** Authenticates token requests with a JWT signed by the configured private key (RFC 7523, `private_key_jwt`). */
export function signAssertions(
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
