import { describe, expect, it } from "vitest";
import { toPersonalSlots } from "./personal-slots";
import { getSettings, PLAIN_READERS } from "./server.test-support";
import { readSettings, toConnectionSettings } from "./server-settings";

const personal = (...names: string[]) => ({ mode: "personal", slots: names.map((name) => ({ name })) });
const HTTP = { name: "web", transport: "http", url: "https://mcp.example/one" } as const;
const API = { ...HTTP, transport: "openapi", document: { from: "url", url: "https://mcp.example/api.json" } } as const;
const EXCHANGE = {
  type: "token_exchange",
  issuer: "https://id.example",
  tokenUrl: "https://id.example/token",
  clientId: "a",
} as const;
const findProblems = (candidate: object) =>
  readSettings(candidate, PLAIN_READERS.getMask).problems.map(({ path, message }) => `${path} ${message}`);

describe("settings with personal credentials", () => {
  it.each<[string, object, RegExp]>([
    ["no slot and no OAuth", { ...HTTP, credentials: personal() }, /^credentials.slots is required: name the header/],
    ["no header name", { ...HTTP, credentials: personal("a b") }, /^credentials.slots\[0\].name .*not a header name/],
    ["a name twice", { ...HTTP, credentials: personal("A", "a") }, /^credentials.slots\[1\].name .*listed twice/],
    [
      "a name with a shared value",
      { ...HTTP, headers: [{ name: "x-key", value: "1" }], credentials: personal("X-Key") },
      /has a shared value above/,
    ],
    [
      "slots beside OAuth",
      { ...HTTP, auth: { type: "oauth" }, credentials: personal("A") },
      /^credentials.slots must be empty with OAuth/,
    ],
    [
      "client credentials",
      { ...HTTP, auth: { type: "client_credentials", clientId: "a", clientSecret: "b" }, credentials: personal("A") },
      /^credentials.mode must be 'shared'/,
    ],
    [
      "slots beside cross-app access",
      { ...HTTP, auth: { type: "cross_app_access", clientId: "a" }, credentials: personal("A") },
      /^credentials.slots must be empty with this sign-in/,
    ],
    [
      "cross-app access for a credential that all share",
      { ...HTTP, auth: { type: "cross_app_access", clientId: "a" } },
      /^credentials.mode must be 'personal'/,
    ],
    [
      "a token exchange for a credential that all share",
      { ...API, auth: EXCHANGE, credentials: { mode: "shared" } },
      /^credentials.mode must be 'personal'/,
    ],
    [
      "a token exchange at what is no address",
      { ...HTTP, auth: { ...EXCHANGE, tokenUrl: "login", issuer: "ftp://id.example" }, credentials: personal() },
      /^auth.tokenUrl must be an address .*auth.issuer must begin with http/,
    ],
    ["more than 32 slots", { ...HTTP, credentials: personal(..."x".repeat(33).split("")) }, /must be at most 32/],
    [
      "no variable name",
      { name: "a", transport: "stdio", command: "node", credentials: personal("A=B") },
      /must not contain '='/,
    ],
    [
      "a query parameter of an MCP server",
      { ...HTTP, credentials: { mode: "personal", slots: [{ name: "key", in: "query" }] } },
      /^credentials.slots\[0\].in must be 'header'/,
    ],
    [
      "a header and a query parameter of one name",
      { ...API, credentials: { mode: "personal", slots: [{ name: "Key" }, { name: "key", in: "query" }] } },
      /slots\[1\].name .*listed twice/,
    ],
    [
      "a query parameter with a shared value",
      {
        ...API,
        query: [{ name: "key", value: "1" }],
        credentials: { mode: "personal", slots: [{ name: "key", in: "query" }] },
      },
      /has a shared value above/,
    ],
  ])("are refused with %s", (_, candidate, message) => {
    expect(findProblems(candidate).join()).toMatch(message);
  });

  it("bind values to an origin, and to a whole command line", () => {
    const formatBinding = (more: Parameters<typeof getSettings>[0]) =>
      toPersonalSlots(getSettings({ ...more, credentials: { mode: "personal", slots: [{ name: "A" }] } }))?.binding;
    expect(formatBinding({ ...HTTP, url: "https://mcp.example/two" })).toBe(formatBinding(HTTP));
    expect(formatBinding({ ...HTTP, url: "https://evil.example/one" })).not.toBe(formatBinding(HTTP));
    const command = { name: "a", transport: "stdio", command: "npx" } as const;
    expect(formatBinding({ ...command, args: ["good"] })).not.toBe(formatBinding({ ...command, args: ["evil"] }));
  });

  it("reach the connection without any value, and not at all for a shared server", () => {
    const settings = getSettings({ ...HTTP, credentials: { mode: "personal", slots: [{ name: "A", label: "Key" }] } });
    expect(toConnectionSettings(settings, {}, true)).toMatchObject({
      personal: { slots: ["A"], binding: "https://mcp.example" },
    });
    expect(toConnectionSettings(getSettings(HTTP), {}, true).personal).toBeUndefined();
  });
});
