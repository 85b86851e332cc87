import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { describe, expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { ServerAuth } from "../../../../lib/contract/server";
import { buildContext, openBench, readText, remote } from "../connections.test-support";
import { toPkcs8 } from "./oauth-client-credentials";

type PrivateKeyAuth = Extract<ServerAuth, { type: "private_key_jwt" }>;

const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const curve = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = (key: KeyObject, type: "pkcs8" | "pkcs1" | "sec1" | "spki"): string =>
  key.export({ type, format: "pem" } as never).toString();
const PKCS8 = pem(rsa.privateKey, "pkcs8");

async function start(publicKey: KeyObject, auth: Pick<PrivateKeyAuth, "privateKey" | "algorithm">, variables = {}) {
  const server = await startOAuthServer({ clients: [{ client_id: "robot", public_key: pem(publicKey, "spki") }] });
  onTestFinished(() => server.close());
  const bench = openBench({ variables });
  bench.connections.apply(
    remote("files", server.url, { auth: { type: "private_key_jwt", clientId: "robot", ...auth } }),
  );
  return { ...bench, server, state: await bench.connections.ready("files") };
}

describe("signing in with a private key", () => {
  it.each([
    ["RS256 and PKCS #8", rsa, PKCS8, "RS256"],
    ["ES256 and SEC 1", curve, pem(curve.privateKey, "sec1"), "ES256"],
  ] as const)(
    "connects and calls with %s, and sends neither the key nor a secret",
    async (_, pair, privateKey, algorithm) => {
      const { connections, server, state } = await start(pair.publicKey, { privateKey, algorithm });
      expect(state).toMatchObject({ status: "connected" });
      expect(readText(await connections.call("files", "whoami", {}, buildContext()))).toContain("robot");
      const tokenRequests = server.authorization.log.filter(({ path }) => path === "/token");
      expect(tokenRequests).toMatchObject([{ grant: "client_credentials", status: 200 }]);
      expect(tokenRequests[0]?.headers.authorization).toBeUndefined();
      const told = JSON.stringify([connections.log("files"), connections.messages("files")]);
      expect(told).not.toContain("PRIVATE KEY");
    },
  );

  it("takes the key from a variable", async () => {
    const { state } = await start(
      rsa.publicKey,
      { privateKey: "\u0024{SIGNING_KEY}", algorithm: "RS256" },
      { SIGNING_KEY: PKCS8 },
    );
    expect(state).toMatchObject({ status: "connected" });
  });

  it.each([
    [
      "a key of another client",
      pem(generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey, "pkcs8"),
      "RS256",
      /refused our client credentials \(401\): check client id and private key/,
    ],
    [
      "an algorithm of another kind of key",
      PKCS8,
      "ES256",
      /The private key cannot sign with ES256: choose the algorithm/,
    ],
    [
      "text that is no key",
      "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----",
      "RS256",
      /The private key cannot be read: paste it in PEM format/,
    ],
  ] as const)("says what to do about %s, and does not retry", async (_, privateKey, algorithm, expected) => {
    const { state } = await start(rsa.publicKey, { privateKey, algorithm });
    expect(state).toMatchObject({ status: "failed", nextAttemptAt: null, reason: expect.stringMatching(expected) });
    expect(state.reason).not.toContain("AAAA");
  });

  it("reads a key of any unencrypted PEM format, with its line breaks lost or escaped", () => {
    for (const text of [
      PKCS8,
      pem(rsa.privateKey, "pkcs1"),
      PKCS8.replaceAll("\n", ""),
      PKCS8.replaceAll("\n", "\\n"),
    ]) {
      expect(toPkcs8(text)).toBe(PKCS8);
    }
  });
});
