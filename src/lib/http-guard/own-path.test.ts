import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveOwnPath } from "./own-path";

const ORIGINS = ["http://127.0.0.1:3000", "https://tools.example.org", "http://[::1]:3000"];
/** Parts that resolution, decoding or a careless check read in different ways. */
const PARTS = [
  "/",
  "//",
  "\\",
  ".",
  "..",
  "/..",
  "/../",
  "/./",
  "%2e",
  "%2E%2e",
  "%2f",
  "%5c",
  "%09",
  "%00",
  "@",
  ":",
  "?",
  "#",
  "\t",
  "\n",
  "\r",
  " ",
  "\u0000",
  "\u00ad",
  "\u2028",
  "\u3002",
  "\uff0f",
  "\u200b",
  "evil.example",
  "tools",
  "a=b",
  "http:",
  "https:",
  "javascript:alert(1)",
  "localhost",
  "[::1]",
  "%",
  "é",
  "\ud800",
];
const leads = fc.oneof(
  fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }).map((parts) => parts.join("")),
  fc.array(fc.constantFrom(...PARTS), { maxLength: 8 }).map((parts) => `/${parts.join("")}`),
  fc.string({ unit: "binary" }),
  fc.webUrl(),
);

describe("where a page leads to after signing in", () => {
  it("is always the origin itself for whatever is given, at the first reading and at each later one", () => {
    const check = fc.property(leads, fc.constantFrom(...ORIGINS), (to, origin) => {
      const path = resolveOwnPath(to);
      if (path === null) return;
      expect(new URL(path, origin).origin).toBe(origin);
      // A proxy or a redirect may decode or resolve it once more.
      expect(new URL(new URL(path, origin).pathname, origin).origin).toBe(origin);
      expect(resolveOwnPath(path)).toBe(path);
      expect(path).toMatch(/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/);
    });
    fc.assert(check, { numRuns: 20_000, seed: 21 });
  });

  it("is the same page that the URL parser finds for each path of this server", () => {
    const segment = fc.stringMatching(/^[a-zA-Z0-9_~%20-]{1,8}$/).filter((text) => !/%(?!20)/.test(text));
    const paths = fc.tuple(
      fc.array(segment, { minLength: 1, maxLength: 4 }),
      fc.constantFrom("", "?a=b%2Fc", "?q=//x#y"),
    );
    const check = fc.property(paths, ([segments, rest]) => {
      const to = `/${segments.join("/")}${rest}`;
      const { pathname, search, hash } = new URL(to, ORIGINS[0]);
      expect(resolveOwnPath(to)).toBe(pathname + search + hash);
    });
    fc.assert(check, { numRuns: 2_000, seed: 21 });
    for (const path of ["/", "/tools", "/executions?tool=echo&q=a%2Fb", "/runs/run_1#step", "/a//b", "/?to=//x"]) {
      expect(resolveOwnPath(path)).toBe(path);
    }
    expect(resolveOwnPath("/a/../tools")).toBe("/tools");
  });

  it.each([
    "//evil.example",
    "/..//evil.example",
    "/a/..//evil.example",
    "/.//evil.example",
    "/%2e%2e//evil.example",
    "/\\evil.example",
    "\\/evil.example",
    "/..\\\\evil.example",
    "/\t/evil.example",
    "/\n/evil.example",
    "/ /evil",
    "/../..//@evil.example/x",
    "/%2E.//evil.example",
    "/x/%2e%2e/\\evil",
    "///evil.example",
    "////evil.example",
    "https://evil.example/",
    "javascript:alert(1)",
    "tools",
    "",
    " /tools",
    "/\u0000/evil.example",
    "/\u200b/x",
    null,
    undefined,
    1,
    ["/tools"],
  ])("is not %j", (to) => expect(resolveOwnPath(to)).toBeNull());

  it("is no text of thousands of characters", () => expect(resolveOwnPath(`/${"a".repeat(4000)}`)).toBeNull());
});
