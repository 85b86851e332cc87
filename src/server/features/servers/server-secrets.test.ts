import { describe, expect, it } from "vitest";
import { getSettings } from "./server.test-support";
import { joinSecrets, separateSecrets } from "./server-secrets";

/** Written so that no linter takes it for a forgotten template. */
const REFERENCE = "\u0024{MY_TOKEN}";

describe("secrets of servers", () => {
  it("takes every value out of the settings but those that only name variables", () => {
    const given = getSettings({
      name: "files",
      env: [
        { name: "TOKEN", value: "abc" },
        { name: "FROM_ENV", value: REFERENCE },
        { name: "MIXED", value: `Bearer ${REFERENCE}` },
        { name: "EMPTY", value: "" },
      ],
    });
    const { settings, secrets, missing } = separateSecrets(given, {});
    expect(settings).toMatchObject({
      env: [
        { name: "TOKEN", value: null },
        { name: "FROM_ENV", value: REFERENCE },
        { name: "MIXED", value: null },
        { name: "EMPTY", value: null },
      ],
    });
    expect(secrets).toEqual({ env: { TOKEN: "abc", MIXED: `Bearer ${REFERENCE}`, EMPTY: "" } });
    expect(missing).toEqual([]);
    expect(joinSecrets(settings, secrets)).toEqual(given);
  });

  it("null keeps what is stored under the same name, and is a problem where nothing is", () => {
    const given = getSettings({
      name: "remote",
      transport: "http",
      url: "https://example.com/mcp",
      headers: [
        { name: "Authorization", value: null },
        { name: "constructor", value: null },
      ],
      auth: { type: "client_credentials", clientId: "me", clientSecret: null },
    });
    const stored = { headers: { Authorization: "Bearer x" }, clientSecret: "s" };
    const { secrets, missing } = separateSecrets(given, stored);
    expect(secrets).toEqual({ headers: { Authorization: "Bearer x" }, clientSecret: "s" });
    expect(missing).toEqual(["headers[1].value"]);
    expect(separateSecrets(given, {}).missing).toEqual(["headers[0].value", "headers[1].value", "auth.clientSecret"]);
  });

  it("takes a private key out of the settings, keeps the stored one, and misses one that is not there", () => {
    const withKey = (privateKey: string | null) =>
      getSettings({
        name: "remote",
        transport: "http",
        url: "https://example.com/mcp",
        auth: { type: "private_key_jwt", clientId: "me", privateKey },
      });
    const typed = separateSecrets(withKey("-----BEGIN PRIVATE KEY-----"), {});
    expect(typed.settings).toMatchObject({ auth: { privateKey: null, algorithm: "RS256" } });
    expect(typed.secrets).toEqual({ privateKey: "-----BEGIN PRIVATE KEY-----" });
    expect(joinSecrets(typed.settings, typed.secrets)).toEqual(withKey("-----BEGIN PRIVATE KEY-----"));
    expect(separateSecrets(withKey(null), typed.secrets)).toMatchObject({ secrets: typed.secrets, missing: [] });
    expect(separateSecrets(withKey(null), {}).missing).toEqual(["auth.privateKey"]);
    expect(separateSecrets(withKey(REFERENCE), {})).toMatchObject({ secrets: {}, settings: withKey(REFERENCE) });
  });
});
