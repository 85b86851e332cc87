import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  type JWTPayload,
  SignJWT,
} from "jose";
import { onTestFinished } from "vitest";
import { createAddressPolicy } from "../outgoing/address-policy";
import { createOutgoingAgents } from "../outgoing/outgoing-agents";
import { createOutgoingFetch } from "../outgoing/outgoing-fetch";
import { createTrustedIssuers, type TrustedIssuer } from "./trusted-issuers";

export const AUDIENCE = "https://tools.example.org";

/** A company's issuer of JWTs on loopback: OpenID configuration and keys, which can be rotated. */
export async function startTokenIssuer() {
  let keys = { pair: await generateKeyPair("ES256", { extractable: true }), kid: "1" };
  const published = new Map<string, JWK>();
  const publish = async (): Promise<void> => {
    published.clear();
    published.set(keys.kid, { ...(await exportJWK(keys.pair.publicKey)), kid: keys.kid, alg: "ES256", use: "sig" });
  };
  await publish();
  const state = {
    requests: [] as string[],
    /** Answers in place of the usual ones. */
    answer: null as ((response: ServerResponse) => void) | null,
    issuer: null as string | null,
  };
  const server = createServer((request, response) => {
    state.requests.push(request.url ?? "");
    if (state.answer !== null) return state.answer(response);
    const body =
      request.url === "/jwks"
        ? { keys: [...published.values()] }
        : { issuer: state.issuer ?? url, jwks_uri: `${url}/jwks` };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** @param changes of the claims; undefined leaves one out */
  async function sign(
    changes: JWTPayload = {},
    header: Partial<JWTHeaderParameters> = {},
    key: CryptoKey | Uint8Array = keys.pair.privateKey,
  ): Promise<string> {
    const at = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: url,
      aud: AUDIENCE,
      sub: "1",
      email: "ada@example.org",
      email_verified: true,
      name: "Ada",
      iat: at,
      exp: at + 600,
      ...changes,
    };
    return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: keys.kid, typ: "at+jwt", ...header }).sign(key);
  }

  async function rotate(kid: string): Promise<void> {
    keys = { pair: await generateKeyPair("ES256", { extractable: true }), kid };
    await publish();
  }

  const trust = (more: Partial<TrustedIssuer> = {}): TrustedIssuer => ({
    issuer: url,
    grants: false,
    audiences: [AUDIENCE],
    jwksUrl: null,
    algorithms: ["RS256", "ES256"],
    claims: { user: "sub", email: "email", name: "name", roles: "groups" },
    trustEmail: false,
    ...more,
  });
  const openIssuers = (
    more: Partial<TrustedIssuer> = {},
    privateAddresses = "allow",
    now: () => number = () => Date.now(),
  ) => {
    const agents = createOutgoingAgents(createAddressPolicy({ privateAddresses, local: false }));
    return createTrustedIssuers([trust(more)], createOutgoingFetch(agents), now);
  };
  const check = (...given: Parameters<typeof openIssuers>) => openIssuers(...given).check;
  return { url, state, sign, rotate, check, openIssuers, publicKey: () => keys.pair.publicKey };
}
