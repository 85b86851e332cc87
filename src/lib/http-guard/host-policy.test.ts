import { describe, expect, it } from "vitest";
import { createHostPolicy, isAllowedHost, parseHostname } from "./host-policy";

describe("the names a server answers to", () => {
  const policy = createHostPolicy({
    host: "192.168.1.20",
    allowedHosts: " tools.example.org, Box.LAN:8443 ,, [fd00::1] ",
  });

  it.each([
    "localhost",
    "LOCALHOST:3000",
    "localhost.",
    "console.localhost:3000",
    "127.0.0.1:3000",
    "127.1.2.3",
    "[::1]:3000",
    "192.168.1.20:3000",
    "tools.example.org",
    "tools.example.org:9000",
    "box.lan",
    "[fd00::1]:3000",
  ])("answers to %s, on any port", (host) => {
    expect(isAllowedHost(host, policy)).toBe(true);
  });

  it.each([
    null,
    "",
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "127.0.0.1@evil.example",
    "notlocalhost",
    "tools.example.org.evil.example",
    "localhost/evil",
    "localhost:3000:4000",
    "localhost, evil.example",
    "[::1",
    "::1",
    "10.0.0.1",
  ])("does not answer to %s", (host) => {
    expect(isAllowedHost(host, policy)).toBe(false);
  });

  it("takes an address that means every address for no name at all", () => {
    expect(createHostPolicy({ host: "0.0.0.0" }).names.size).toBe(0);
    expect(createHostPolicy({ host: "::", allowedHosts: "" }).names.size).toBe(0);
  });

  it("knows an IPv6 address it listens on, with and without brackets", () => {
    expect(isAllowedHost("[fd00::7]:3000", createHostPolicy({ host: "fd00::7" }))).toBe(true);
    expect(isAllowedHost("[fd00::7]:3000", createHostPolicy({ host: "[fd00::7]" }))).toBe(true);
  });

  it("answers to the name of the public address, and takes its pages for its own", () => {
    for (const publicUrl of [
      "https://tools.example.org",
      "https://Tools.Example.ORG:8443/",
      "http://tools.example.org",
    ]) {
      const named = createHostPolicy({ host: "127.0.0.1", publicUrl });
      expect(isAllowedHost("tools.example.org", named)).toBe(true);
      expect(isAllowedHost("other.example.org", named)).toBe(false);
      expect([...named.publicNames]).toEqual(["tools.example.org"]);
    }
    expect(createHostPolicy({ publicUrl: "http://localhost:3000" }).publicNames.size).toBe(0);
  });

  it("reads a name out of a header without port, brackets and case", () => {
    expect(parseHostname("[FD00::1]:80")).toBe("fd00::1");
    expect(parseHostname("Example.ORG.:80")).toBe("example.org");
  });
});
