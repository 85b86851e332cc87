import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { decideAccountMode, isPersonal } from "./account-mode";
import { decideOauthOrigin } from "./client-sign-in";
import { readEnv } from "./env";
import { createFoundation } from "./foundation";

describe("whether people need accounts", () => {
  it.each(["127.0.0.1", "localhost", "::1", "[::1]"])("not on %s, unless somebody wants them", (host) => {
    expect(decideAccountMode({ auth: null, host }, null)).toEqual({ accounts: false, decidedBy: "address" });
    expect(decideAccountMode({ auth: "on", host }, null)).toEqual({ accounts: true, decidedBy: "environment" });
    expect(decideAccountMode({ auth: null, host }, "on")).toEqual({ accounts: true, decidedBy: "setting" });
    expect(decideAccountMode({ auth: "off", host }, "on")).toEqual({ accounts: false, decidedBy: "environment" });
  });

  it.each(["0.0.0.0", "::", "192.168.1.20", "tools.example.org"])("always on %s, and the start says why", (host) => {
    expect(decideAccountMode({ auth: null, host }, null)).toEqual({ accounts: true, decidedBy: "address" });
    expect(() => decideAccountMode({ auth: "off", host }, null)).toThrow(
      `TOOLROOM_AUTH=off together with HOST=${host}`,
    );
  });

  it("is read from the environment, which refuses other words and short tokens", () => {
    expect(readEnv({}).auth).toBeNull();
    expect(readEnv({ TOOLROOM_AUTH: "on" }).auth).toBe("on");
    expect(() => readEnv({ TOOLROOM_AUTH: "yes" })).toThrow("TOOLROOM_AUTH");
    expect(() => readEnv({ TOOLROOM_API_TOKEN: "short" })).toThrow("at least 32 characters");
    const secrets = { TOOLROOM_API_TOKEN: "t".repeat(40), TOOLROOM_SECRET_KEY: "k".repeat(40), OTHER: "1" };
    expect(readEnv(secrets).variables).toEqual({ OTHER: "1" });
    expect(() => readEnv({ TOOLROOM_PUBLIC_URL: "tools.example.org" })).toThrow("TOOLROOM_PUBLIC_URL");
  });
});

describe("whether a server is of this machine's people alone, so that private addresses are open", () => {
  const judge = (given: Record<string, string>, accounts = false) => isPersonal(readEnv(given), { accounts });

  it("is so on loopback without accounts, also with names of this machine", () => {
    expect(judge({})).toBe(true);
    expect(judge({ HOST: "::1", TOOLROOM_PUBLIC_URL: "http://localhost:3000" })).toBe(true);
    expect(judge({ TOOLROOM_ALLOWED_HOSTS: "console.localhost" })).toBe(true);
  });

  it.each([
    [{}, true],
    [{ HOST: "0.0.0.0" }, false],
    [{ TOOLROOM_PUBLIC_URL: "https://tools.example.org" }, false],
    [{ TOOLROOM_PUBLIC_URL: "http://10.0.0.5:8080" }, false],
    [{ TOOLROOM_ALLOWED_HOSTS: "tools.example.org" }, false],
    [{ TOOLROOM_TRUSTED_PROXIES: "127.0.0.1" }, false],
  ])("is not so where others come in, also through a proxy of this host: %o, accounts %s", (given, accounts) => {
    expect(judge(given as Record<string, string>, accounts)).toBe(false);
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

describe("whether MCP clients may sign in", () => {
  const decide = (publicUrl: string | null, oauth: "on" | "off" | null = null, accounts = true) =>
    decideOauthOrigin({ publicUrl, oauth }, accounts);

  it("is so where accounts are on and the public address is safe to send tokens to", () => {
    expect(decide("https://tools.example.org/")).toBe("https://tools.example.org");
    expect(decide("http://127.0.0.1:3000")).toBe("http://127.0.0.1:3000");
    expect(decide("http://[::1]:3000", "on")).toBe("http://[::1]:3000");
    expect(decide("https://tools.example.org", "off")).toBeNull();
    expect(decide("https://tools.example.org", null, false)).toBeNull();
    expect(decide("http://tools.example.org")).toBeNull();
    expect(decide("https://example.org/tools")).toBeNull();
    expect(decide(null)).toBeNull();
  });

  it("is an error where it is demanded and cannot be, which names the variable", () => {
    expect(() => decide("https://tools.example.org", "on", false)).toThrow("set TOOLROOM_AUTH=on");
    expect(() => decide(null, "on")).toThrow("set TOOLROOM_PUBLIC_URL");
    expect(() => decide("http://tools.example.org", "on")).toThrow("https");
    expect(() => decide("https://example.org/tools", "on")).toThrow("without a path");
  });
});
