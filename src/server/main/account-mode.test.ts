import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  createOutsideGuard,
  decideAccountMode,
  FORWARDING_FAMILIES,
  FORWARDING_HEADERS,
  isPersonal,
} from "./account-mode";
import { decideOauthOrigin } from "./client-sign-in";
import { readEnv } from "./env";
import { createFoundation } from "./foundation";

/** Settings that leave a server to the users of its machine, and those by which others reach it. */
const LOCAL: Record<string, string>[] = [
  {},
  { HOST: "localhost" },
  { HOST: "::1" },
  { HOST: "[::1]" },
  { TOOLROOM_PUBLIC_URL: "http://localhost:3000" },
  { TOOLROOM_PUBLIC_URL: "http://127.8.9.1:8080" },
  { TOOLROOM_PUBLIC_URL: "http://[::1]:3000" },
  { TOOLROOM_ALLOWED_HOSTS: "console.localhost, 127.0.0.1:3000" },
  { TOOLROOM_ALLOWED_HOSTS: " , " },
  { TOOLROOM_TRUSTED_PROXIES: " " },
];
const PROXIED: Record<string, string>[] = [
  { TOOLROOM_PUBLIC_URL: "https://tools.example.org" },
  { TOOLROOM_PUBLIC_URL: "http://10.0.0.5:8080" },
  { TOOLROOM_PUBLIC_URL: "https://localhost.example.org" },
  { TOOLROOM_ALLOWED_HOSTS: "tools.example.org" },
  { TOOLROOM_ALLOWED_HOSTS: "localhost, tools.example.org:8443" },
  { TOOLROOM_ALLOWED_HOSTS: "https://tools.example.org" },
  { TOOLROOM_TRUSTED_PROXIES: "127.0.0.1" },
  { TOOLROOM_TRUSTED_PROXIES: "10.0.0.5, fd00::5" },
];
const LISTENING: Record<string, string>[] = ["0.0.0.0", "::", "192.168.1.20", "tools.example.org"].map((HOST) => ({
  HOST,
}));
const decideMode = (given: Record<string, string>, setting: string | null = null) =>
  decideAccountMode(readEnv(given), setting);

describe("whether users need accounts", () => {
  it("not where only this machine reaches the server, unless they are switched on", () => {
    for (const given of LOCAL) {
      const outside = null;
      expect(decideMode(given)).toEqual({ accounts: false, decidedBy: "address", outside });
      expect(decideMode(given, "on")).toEqual({ accounts: true, decidedBy: "setting", outside });
      expect(decideMode({ ...given, TOOLROOM_AUTH: "on" })).toMatchObject({ accounts: true, decidedBy: "environment" });
      expect(decideMode({ ...given, TOOLROOM_AUTH: "off" }, "on")).toMatchObject({ accounts: false });
    }
  });

  it("always where any setting says that others come in, with every combination of the others", () => {
    for (const outer of [...PROXIED, ...LISTENING]) {
      for (const other of [...LOCAL, ...PROXIED]) {
        const given = { ...other, ...outer };
        expect([given, decideMode(given).accounts]).toEqual([given, true]);
        expect([given, decideMode(given, "on").accounts]).toEqual([given, true]);
        expect([given, decideMode(given).outside]).toEqual([given, expect.stringMatching(/^[A-Z_]+=./)]);
      }
    }
  });

  it("not behind a proxy where TOOLROOM_AUTH=off says so, and never off on an address of the network", () => {
    for (const given of PROXIED) {
      const mode = decideMode({ ...given, TOOLROOM_AUTH: "off" });
      expect([given, mode.accounts, mode.decidedBy]).toEqual([given, false, "environment"]);
    }
    for (const given of LISTENING) {
      const message = `TOOLROOM_AUTH=off together with HOST=${given.HOST}`;
      expect(() => decideMode({ ...given, TOOLROOM_AUTH: "off" })).toThrow(message);
    }
  });

  it("is read from the environment, which refuses other words and short tokens", () => {
    expect(readEnv({}).auth).toBeNull();
    expect(readEnv({ TOOLROOM_AUTH: "on" }).auth).toBe("on");
    expect(() => readEnv({ TOOLROOM_AUTH: "yes" })).toThrow("TOOLROOM_AUTH");
    expect(() => readEnv({ TOOLROOM_API_TOKEN: "short" })).toThrow("at least 32 characters");
    const secrets = { TOOLROOM_API_TOKEN: "t".repeat(40), TOOLROOM_SECRET_KEY: "k".repeat(40), OTHER: "1" };
    expect(readEnv(secrets).variables).toEqual({ OTHER: "1" });
    for (const publicUrl of ["tools.example.org", "https://example.org/api", "https://example.org/a%20b"]) {
      expect(() => readEnv({ TOOLROOM_PUBLIC_URL: publicUrl })).toThrow("TOOLROOM_PUBLIC_URL");
    }
  });
});

describe("whether a server is of this machine's users alone, so that private addresses are open", () => {
  it("is so where accounts are off and no setting says that others come in", () => {
    for (const given of LOCAL) {
      expect([given, isPersonal(decideMode(given))]).toEqual([given, true]);
      expect([given, isPersonal(decideMode({ ...given, TOOLROOM_AUTH: "on" }))]).toEqual([given, false]);
    }
    for (const given of PROXIED) {
      expect([given, isPersonal(decideMode(given))]).toEqual([given, false]);
      expect([given, isPersonal(decideMode({ ...given, TOOLROOM_AUTH: "off" }))]).toEqual([given, false]);
    }
  });

  it("holds for the outgoing connections of the whole server", async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-personal-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const open = (name: string, more: Record<string, string>) =>
      createFoundation(readEnv({ DATABASE_URL: `file:${folder}/${name}.db`, TOOLROOM_LOG_LEVEL: "silent", ...more }));
    const behind = await open("proxied", { TOOLROOM_AUTH: "on" });
    const listed = await open("listed", { TOOLROOM_AUTH: "on", TOOLROOM_PRIVATE_ADDRESSES: "10.0.0.0/8" });
    const own = await open("own", {});
    for (const { db } of [behind, listed, own]) onTestFinished(() => db.close());
    expect(behind.addresses.findRefusal("10.0.0.5", "intranet")?.message).toContain("TOOLROOM_PRIVATE_ADDRESSES");
    expect(behind.addresses.findRefusal("127.0.0.1", "localhost")).not.toBeNull();
    expect(listed.addresses.findRefusal("10.0.0.5", "intranet")).toBeNull();
    expect(own.addresses.findRefusal("10.0.0.5", "intranet")).toBeNull();
  });
});

describe("a request that a proxy passed on", () => {
  const HEADERS = [
    ...FORWARDING_HEADERS,
    ...FORWARDING_FAMILIES.flatMap((start) => [`${start}for`, `${start}host`, `${start}x`]),
  ];

  function check(given: Record<string, string>) {
    const lines: unknown[][] = [];
    const note = (...line: unknown[]): void => void lines.push(line);
    const logger = { debug: note, info: note, warn: note, error: note };
    const guard = createOutsideGuard(decideMode(given), logger, () => undefined);
    return { lines, guard, ask: (headers: Record<string, string>) => guard.check({ headers }) };
  }

  it("is refused while accounts are off by default, whatever header says so, and the refusal names the settings", () => {
    for (const given of LOCAL) {
      const { ask, guard, lines } = check(given);
      for (const header of HEADERS) {
        expect([header, ask({ host: "127.0.0.1:3000", [header]: "" })]).toEqual([
          header,
          expect.stringMatching(/header .* Set TOOLROOM_PUBLIC_URL .*TOOLROOM_AUTH=on.*TOOLROOM_AUTH=off/),
        ]);
      }
      expect(guard.check({ headers: { host: "127.0.0.1:3000" }, httpVersion: "1.0" })).toContain("HTTP/1.0");
      expect(guard.check({ headers: { host: "127.0.0.1:3000" }, httpVersion: "1.1" })).toBeNull();
      expect(guard.exposure()).toBeNull();
      expect(lines).toEqual([]);
    }
  });

  it("is known by its headers alone: what programs and browsers send passes", () => {
    const { ask } = check({});
    const names = ["host", "user-agent", "accept", "cookie", "origin", "referer", "authorization", "content-type"];
    const more = ["sec-fetch-site", "mcp-session-id", "traceparent", "x-requested-with", "toolroom-forwarded", "rsc"];
    for (const name of [...names, ...more]) expect([name, ask({ [name]: "x" })]).toEqual([name, null]);
  });

  it("passes with accounts, which then decide", () => {
    for (const given of [{ TOOLROOM_AUTH: "on" }, ...PROXIED]) {
      const { ask, guard } = check(given);
      expect([ask({ "x-forwarded-for": "203.0.113.7" }), guard.exposure()]).toEqual([null, null]);
    }
  });

  it("passes with TOOLROOM_AUTH=off, and the log warns once, at the start where a setting says it", () => {
    const { ask, guard, lines } = check({ TOOLROOM_AUTH: "off" });
    expect([guard.exposure(), lines.length]).toEqual([null, 0]);
    for (const header of ["via", "x-forwarded-for"]) expect(ask({ [header]: "1" })).toBeNull();
    expect(guard.exposure()).toContain("header via");
    expect(lines).toEqual([[{ exposure: guard.exposure() }, expect.stringContaining("TOOLROOM_AUTH=off")]]);
    for (const given of PROXIED) {
      const told = check({ ...given, TOOLROOM_AUTH: "off" });
      expect(told.lines).toEqual([[{ exposure: told.guard.exposure() }, expect.stringContaining("TOOLROOM_AUTH=off")]]);
    }
  });
});

describe("whether MCP clients may sign in", () => {
  const decide = (publicUrl: string | null, oauth: "on" | "off" | null = null, accounts = true) =>
    decideOauthOrigin({ publicUrl, oauth }, accounts);

  it("is so where accounts are on and the public address is safe to send tokens to", () => {
    expect(decide("https://tools.example.org")).toBe("https://tools.example.org");
    expect(decide("https://example.org/toolroom")).toBe("https://example.org/toolroom");
    expect(decide("http://127.0.0.1:3000")).toBe("http://127.0.0.1:3000");
    expect(decide("http://[::1]:3000", "on")).toBe("http://[::1]:3000");
    expect(decide("https://tools.example.org", "off")).toBeNull();
    expect(decide("https://tools.example.org", null, false)).toBeNull();
    expect(decide("http://tools.example.org")).toBeNull();
    expect(decide(null)).toBeNull();
  });

  it("is an error where it is demanded and cannot be, which names the variable", () => {
    expect(() => decide("https://tools.example.org", "on", false)).toThrow("set TOOLROOM_AUTH=on");
    expect(() => decide(null, "on")).toThrow("set TOOLROOM_PUBLIC_URL");
    expect(() => decide("http://tools.example.org", "on")).toThrow("https");
  });
});
