import { describe, expect, it } from "vitest";
import { findRedirectFault, readAllowedSchemes, readPrivateScheme } from "./redirect-addresses";

const EDITORS = ["cursor", "vscode", "vscode-insiders", "vscodium", "windsurf", "zed", "kiro", "trae", "claude"];
const DOMAINS = ["com.example.app", "org.example.tools.editor-2", "io.github.user-name.app", "de.x"];
/** What continues an address of a desktop program. */
const REST = [
  "://host.of-it/oauth/callback",
  "://host",
  "://host?windowId=_blank",
  "://host:1/x",
  ":/oauth2redirect",
  ":/",
];
const DENIED = [
  "javascript",
  "data",
  "file",
  "blob",
  "vbscript",
  "about",
  "view-source",
  "filesystem",
  "ftp",
  "mailto",
  "tel",
  "ws",
  "wss",
  "chrome",
  "chrome-extension",
  "moz-extension",
  "intent",
  "ssh",
  "smb",
  "ms-msdt",
  "ms-settings",
  "search-ms",
  "web+x",
  "x-apple.systempreferences",
  "shell",
  "ldap",
  "jar",
  "itms-services",
];
const find = (uri: unknown, allowed: string[] = []): string | null => findRedirectFault(uri, allowed);

/** Each address as it may be written to pass for another one. */
function* disguise(scheme: string): Generator<string> {
  const upper = scheme.toUpperCase();
  const mixed = [...scheme].map((letter, index) => (index % 2 === 0 ? letter.toUpperCase() : letter)).join("");
  for (const name of [scheme, upper, mixed]) {
    for (const rest of [...REST, ":alert(1)", "://alert%0a(1)", ":text/html,x", ":///etc/passwd", ":/\\x", ":"]) {
      yield `${name}${rest}`;
      for (const before of [" ", "\t", "\n", "\u0000", "\u00a0", "%20", "view-source:", "url:"])
        yield before + name + rest;
      for (const inside of ["\t", "\n", "\r", "\u00ad", "%6a"]) yield name[0] + inside + name.slice(1) + rest;
    }
  }
}

describe("where the answer to a sign-in may go", () => {
  it("is a desktop program by its scheme: a known one, a reversed domain name, or one that the installation allows", () => {
    for (const scheme of [...EDITORS, ...DOMAINS, "myeditor"]) {
      for (const rest of REST) {
        const uri = scheme + rest;
        expect([uri, find(uri, ["myeditor"])]).toEqual([uri, null]);
        expect(readPrivateScheme(uri)).toBe(scheme);
      }
    }
    expect(find("myeditor://x/cb")).toContain("TOOLROOM_OAUTH_SCHEMES");
    expect(find("example:/cb")).toContain("com.example.app:/callback");
  });

  it("is https, or http on loopback", () => {
    const sound = ["https://claude.ai/cb", "https://claude.ai", "https://claude.ai:8443/a?b=c", "HTTPS://Claude.ai/cb"];
    const loopback = [
      "http://localhost/cb",
      "http://127.0.0.1:45999/callback",
      "http://[::1]:1/",
      "http://LOCALHOST:80",
    ];
    for (const uri of [...sound, ...loopback]) {
      expect([uri, find(uri)]).toEqual([uri, null]);
      expect(readPrivateScheme(uri)).toBeNull();
    }
    const others = ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "localhost.", "0x7f.1", "2130706433"];
    const more = ["127.0.0.2", "[::ffff:127.0.0.1]", "0.0.0.0", "10.0.0.1", "x.localhost", "localhost:1@evil.example"];
    for (const host of [...others, ...more]) {
      expect([host, find(`http://${host}/cb`)]).toEqual([host, expect.any(String)]);
    }
    for (const host of ["localhost", "127.0.0.1", "[::1]", "0.0.0.0"])
      expect(find(`https://${host}/cb`)).not.toBeNull();
  });

  it("is never an address that a browser or an operating system reads itself, however it is written", () => {
    for (const scheme of DENIED) {
      for (const uri of disguise(scheme)) {
        expect([uri, find(uri, [scheme, ...EDITORS])]).toEqual([uri, expect.any(String)]);
      }
    }
  });

  it("has no wildcard, fragment, credentials, second reading or invisible character", () => {
    const bases = ["https://claude.ai/cb", "http://127.0.0.1:1/cb", "cursor://host/cb", "com.example.app:/cb"];
    const endings = [
      "#",
      "#x",
      "*",
      "/*",
      "\\x",
      " ",
      "\n",
      "\t",
      "\u0000",
      "\u202e",
      "é",
      '"',
      "<b>",
      "%0d%0a",
      "%00",
      "%",
    ];
    for (const base of bases) {
      for (const ending of [...endings, "%5c..", "%zz", "`", "{x}", "|", "^"]) {
        const uri = base + ending;
        expect([uri, find(uri)]).toEqual([uri, expect.any(String)]);
      }
    }
    const whole = ["https://*.example.org/cb", "https://a@b.example/cb", "cursor://a:b@host/cb", "cursor://@host/cb"];
    const broken = [
      "https:claude.ai",
      "https:///x",
      "cursor:host",
      "cursor://",
      "cursor:///",
      "Cursor://host/cb",
      "/cb",
      "",
      "x",
    ];
    for (const uri of [...whole, ...broken, `cursor://${"a".repeat(2000)}`, 1, null, {}, ["cursor://host"]]) {
      expect([uri, find(uri)]).toEqual([uri, expect.any(String)]);
    }
  });
});

describe("the schemes that an installation allows", () => {
  it("are names in lower case, and never one of a browser or an operating system", () => {
    expect(readAllowedSchemes(" myeditor, other-editor ,")).toEqual(["myeditor", "other-editor"]);
    expect(readAllowedSchemes(null)).toEqual([]);
    for (const scheme of ["My", "my:", "my editor", "*", "1st"])
      expect(() => readAllowedSchemes(scheme)).toThrow(scheme);
    for (const scheme of [...DENIED, "http", "https"]) expect(() => readAllowedSchemes(`ok,${scheme}`)).toThrow(scheme);
  });
});
