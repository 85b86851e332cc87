import { expect, it } from "vitest";
import { PLAIN_READERS } from "./server.test-support";
import { readSettings } from "./server-settings";

const findProblems = (auth: object) =>
  readSettings({ name: "remote", transport: "http", url: "https://example.com/mcp", auth }, PLAIN_READERS.getMask)
    .problems;

it.each([
  ["no PEM text", "MIIEvQIBADANBg", /must be a private key in PEM format/],
  ["a key with a passphrase", "-----BEGIN ENCRYPTED PRIVATE KEY-----", /must not be protected by a passphrase/],
])("names the field of a private key that cannot be used: %s", (_, privateKey, message) => {
  expect(findProblems({ type: "private_key_jwt", clientId: "me", privateKey })).toEqual([
    { path: "auth.privateKey", message: expect.stringMatching(message) },
  ]);
});

it("takes a private key in any other PEM format, from a variable, or as it is stored", () => {
  for (const privateKey of ["-----BEGIN EC PRIVATE KEY-----", "\u0024{SIGNING_KEY}", null]) {
    expect(findProblems({ type: "private_key_jwt", clientId: "me", privateKey })).toEqual([]);
  }
});

it("names the algorithms where another one was chosen", () => {
  const auth = { type: "private_key_jwt", clientId: "me", privateKey: null, algorithm: "HS256" };
  expect(findProblems(auth)).toEqual([
    { path: "auth.algorithm", message: expect.stringMatching(/must be one of RS256/) },
  ]);
});

it("takes the stateless protocol for a transport that has it, and names the way out for SSE", () => {
  const find = (transport: string) => {
    const settings = { name: "remote", transport, url: "https://example.com/mcp", protocol: "stateless" };
    return readSettings(settings, PLAIN_READERS.getMask).problems;
  };
  expect(find("http")).toEqual([]);
  expect(find("sse")).toEqual([{ path: "protocol", message: expect.stringMatching(/^must be 'auto' or 'legacy'/) }]);
});

it.each([
  [{ tokenFile: "token" }, "auth.tokenFile", /must be an absolute path/],
  [{}, "auth.tokenFile", /is required/],
  [{ tokenFrom: "variable" }, "auth.tokenVariable", /is required/],
  [{ tokenFrom: "variable", tokenVariable: "$POD" }, "auth.tokenVariable", /must be the name/],
])("names the field of a workload identity that cannot be used: %o", (auth, path, message) => {
  expect(findProblems({ type: "workload_identity", ...auth })).toEqual([
    { path, message: expect.stringMatching(message) },
  ]);
});

it("takes a workload's token from a path, from one with a variable, or from a variable", () => {
  for (const auth of [
    { tokenFile: "/var/run/secrets/tokens/mcp" },
    { tokenFile: "C:\\tokens\\mcp" },
    { tokenFile: "\u0024{TOKENS}/mcp" },
    { tokenFrom: "variable", tokenVariable: "POD_TOKEN" },
  ]) {
    expect(findProblems({ type: "workload_identity", ...auth })).toEqual([]);
  }
});
