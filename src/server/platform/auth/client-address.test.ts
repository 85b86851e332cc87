import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { getClientAddress, readProxyUser, toHeaders } from "../../../lib/http-guard/request-headers";
import { createClientIdentifier } from "./client-address";

function identify(remoteAddress: string, headers: IncomingMessage["headers"], trustedProxies: string | null = null) {
  const publicUrl = "https://tools.example.org";
  createClientIdentifier({ trustedProxies, publicUrl })({ headers, socket: { remoteAddress } as never });
  return { address: getClientAddress(toHeaders({ headers })), headers };
}

const SPOOFED = {
  "x-toolroom-peer": "6.6.6.6",
  "x-forwarded-for": "6.6.6.6",
  "x-forwarded-proto": "https",
  "x-forwarded-host": "evil.example",
  "x-forwarded-port": "1",
  forwarded: "for=6.6.6.6",
  "x-real-ip": "6.6.6.6",
};

describe("the user that a proxy names", () => {
  const proxyUser = { user: "remote-user", groups: "remote-groups" };
  const named = { "remote-user": "olivia@example.org", "remote-groups": "ops, staff" };
  const identifyUser = (
    remoteAddress: string,
    headers: IncomingMessage["headers"],
    settings: Partial<Parameters<typeof createClientIdentifier>[0]> = {},
  ) => {
    const all = { trustedProxies: "10.0.0.1", publicUrl: null, proxyUser, ...settings };
    createClientIdentifier(all)({ headers, socket: { remoteAddress } as never });
    return { user: readProxyUser(toHeaders({ headers })), headers };
  };

  it("is believed from a trusted proxy alone, whoever else says so", () => {
    expect(identifyUser("10.0.0.1", { ...named }).user).toEqual({
      name: "olivia@example.org",
      groups: ["ops", "staff"],
    });
    for (const address of ["10.0.0.2", "127.0.0.1", "::1", "203.0.113.7", ""]) {
      // Nor by a client that claims to come from the proxy.
      for (const more of [
        {},
        { "x-forwarded-for": "10.0.0.1" },
        { "x-real-ip": "10.0.0.1", forwarded: "for=10.0.0.1" },
      ]) {
        const { user, headers } = identifyUser(address, { ...named, ...more });
        expect([user, headers["remote-user"], headers["remote-groups"]]).toEqual([null, undefined, undefined]);
      }
    }
  });

  it("is nobody's where the setting is off, and its own header is always removed", () => {
    const [own] = Object.entries(identifyUser("10.0.0.1", { ...named }).headers).filter(([key]) =>
      key.startsWith("x-toolroom-proxy"),
    );
    const spoofed = Object.fromEntries([own ?? []]);
    expect(Object.keys(spoofed)).toHaveLength(1);
    for (const settings of [{}, { proxyUser: null }]) {
      expect(identifyUser("203.0.113.7", { ...spoofed }, settings).user).toBeNull();
      expect(identifyUser("10.0.0.1", { ...spoofed }, settings).user).toBeNull();
    }
    expect(identifyUser("10.0.0.1", { ...named }, { proxyUser: null }).user).toBeNull();
    expect(identifyUser("10.0.0.1", { "remote-user": " " }).user).toBeNull();
  });
});

describe("the address of a client", () => {
  it("is checked for each request of a connection by what that request says", () => {
    const identifyClient = createClientIdentifier({ trustedProxies: "10.0.0.0/8", publicUrl: null });
    const socket = { remoteAddress: "10.1.1.1" } as never;
    const found = ["203.0.113.7", undefined, "203.0.113.8"].map((forwarded) => {
      const headers = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
      identifyClient({ headers, socket });
      return getClientAddress(toHeaders({ headers }));
    });
    expect(found).toEqual(["203.0.113.7", "10.1.1.1", "203.0.113.8"]);
  });

  it("is the socket's, whatever an untrusted client says about itself", () => {
    for (const trusted of [null, "10.0.0.0/8"]) {
      const { address, headers } = identify("203.0.113.7", { ...SPOOFED, host: "127.0.0.1:3000" }, trusted);
      expect(address).toBe("203.0.113.7");
      expect(JSON.stringify(headers)).not.toMatch(/6\.6\.6\.6|evil|https/);
    }
    expect(identify("::ffff:203.0.113.7", {}).address).toBe("203.0.113.7");
  });

  it.each([
    ["203.0.113.7", "203.0.113.7"],
    ["6.6.6.6, 203.0.113.7", "203.0.113.7"],
    ["6.6.6.6, 203.0.113.7, 10.1.1.1", "203.0.113.7"],
    ["203.0.113.7:4711", "203.0.113.7"],
    ["[2001:db8::1]:4711", "2001:db8::1"],
    ["10.1.1.1, 10.1.1.2", "10.1.1.1"],
    ["6.6.6.6, unknown", "10.9.9.9"],
    ["", "10.9.9.9"],
  ])("behind a trusted proxy is the last hop of %j that is not trusted", (forwarded, expected) => {
    const { address } = identify("::ffff:10.9.9.9", { "x-forwarded-for": forwarded }, "10.0.0.0/8, fd00::/8");
    expect(address).toBe(expected);
  });

  it("comes with TLS only where a trusted proxy says so, or where the public address has it", () => {
    const readProtocol = (remote: string, headers: IncomingMessage["headers"]) =>
      identify(remote, headers, "10.0.0.1").headers["x-forwarded-proto"];
    expect(readProtocol("10.0.0.1", { "x-forwarded-proto": "https" })).toBe("https");
    expect(readProtocol("10.0.0.1", { "x-forwarded-proto": "http", host: "tools.example.org" })).toBe("http");
    expect(readProtocol("10.0.0.2", { "x-forwarded-proto": "https" })).toBe("http");
    expect(readProtocol("10.0.0.2", { host: "tools.example.org" })).toBe("https");
  });

  it.each([
    ["tools.example.org", true],
    ["tools.example.org:443", true],
    ["Tools.Example.ORG", true],
    ["tools.example.org:8443", false],
    ["tools.example.org.evil.example", false],
    ["evil.example", false],
    ["", false],
  ])("is at the public address where the Host is %s: %s", (host, isSite) => {
    expect(identify("203.0.113.7", { host }).headers["x-forwarded-proto"]).toBe(isSite ? "https" : "http");
  });

  it.each([
    ["https://[2001:db8::1]", "[2001:db8::1]:443", "https"],
    ["https://[2001:db8::1]:8443", "[2001:db8::1]:8443", "https"],
    ["https://[2001:db8::1]:8443", "[2001:db8::1]", "http"],
    ["http://tools.example.org:8080", "tools.example.org:8080", "http"],
  ])("knows the public address %s in the Host %s", (publicUrl, host, protocol) => {
    const headers: IncomingMessage["headers"] = { host };
    createClientIdentifier({ trustedProxies: null, publicUrl })({ headers, socket: { remoteAddress: "::1" } as never });
    expect(headers["x-forwarded-proto"]).toBe(protocol);
  });

  it("takes the public name from a trusted proxy that asks by the server's own, and no other name", () => {
    const readHost = (remote: string, forwarded: string) =>
      identify(remote, { host: "10.0.0.11:3000", "x-forwarded-host": forwarded }, "10.0.0.1").headers.host;
    expect(readHost("10.0.0.1", "tools.example.org")).toBe("tools.example.org");
    expect(readHost("10.0.0.1", "evil.example, tools.example.org:443")).toBe("tools.example.org");
    expect(readHost("10.0.0.1", "tools.example.org, evil.example")).toBe("10.0.0.11:3000");
    expect(readHost("10.0.0.1", "localhost")).toBe("10.0.0.11:3000");
    expect(readHost("10.0.0.2", "tools.example.org")).toBe("10.0.0.11:3000");
  });

  it("refuses a list of proxies with an entry that is none, and names it", () => {
    for (const entry of ["proxy.internal", "10.0.0.0/40", "*"]) {
      expect(() => createClientIdentifier({ trustedProxies: entry, publicUrl: null })).toThrow(`'${entry}'`);
    }
  });
});
