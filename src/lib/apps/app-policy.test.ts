import { expect, it } from "vitest";
import { listDomains, readDomains, readFramePath, toFramePath, toFramePolicy } from "./app-policy";

function buildPolicy(declared: unknown): Record<string, string> {
  const policy = toFramePolicy(readDomains(declared).domains);
  return Object.fromEntries(
    policy.split("; ").map((directive) => {
      const [name = "", ...sources] = directive.split(" ");
      return [name, sources.join(" ")];
    }),
  );
}

it("gives an App that declares nothing no way out: no network, no frames, no forms, no base, no origin", () => {
  expect(toFramePolicy(readDomains(undefined).domains)).toBe(
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' blob:; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; connect-src 'none'; frame-src 'none'; base-uri 'none'; worker-src blob:; object-src 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts allow-forms",
  );
});

it("allows each declared domain for what it is declared for", () => {
  const policy = buildPolicy({
    connectDomains: ["https://api.example.org", "wss://live.example.org:8443"],
    resourceDomains: ["https://*.example.net", "cdn.example.com"],
    frameDomains: ["https://video.example.org/embed/"],
    baseUriDomains: ["https://base.example.org"],
  });
  expect(policy).toMatchObject({
    "connect-src": "https://api.example.org wss://live.example.org:8443",
    "script-src": "'unsafe-inline' 'unsafe-eval' blob: https://*.example.net https://cdn.example.com",
    "font-src": "data: https://*.example.net https://cdn.example.com",
    "frame-src": "https://video.example.org/embed/",
    "base-uri": "https://base.example.org",
    "default-src": "'none'",
  });
});

it.each([
  "*",
  "https://*",
  "https:",
  "'self'",
  "'unsafe-eval'",
  "data:",
  "blob:",
  "https://a.example; script-src *",
  "https://a.example, https://b.example",
  "https://a.example b.example",
  "https://a.example\nscript-src *",
  "https://a.example\r\nset-cookie: a=b",
  "https://user@a.example",
  "https://a.example/?q=1",
  "https://a.example/%3B",
  "javascript:alert(1)",
  "file:///etc/passwd",
  "https://ä.example",
  "",
  7,
  null,
  { toString: "https://a.example" },
])("leaves out %j, which is no origin, and says so", (declared) => {
  const { domains, ignored } = readDomains({ connectDomains: [declared] });
  expect(domains.connect).toEqual([]);
  expect(ignored).toHaveLength(1);
});

it("bounds how many domains a policy has and how long it is", () => {
  const many = Array.from({ length: 1000 }, (_, at) => `https://host-${at}.example.org`);
  const { domains, ignored } = readDomains({ connectDomains: many, resourceDomains: many });
  expect(domains.connect.length).toBeLessThanOrEqual(20);
  expect(ignored.length).toBeLessThan(50);
  const long = Array.from({ length: 80 }, (_, at) => `https://h${at}.${"x".repeat(60)}.example.org`);
  const all = { connectDomains: long, resourceDomains: long, frameDomains: long, baseUriDomains: long };
  expect(toFramePath(readDomains(all).domains).length).toBeLessThan(8000);
});

it("reads from the frame's address the domains that it was made for, and none that someone else put there", () => {
  const { domains } = readDomains({ connectDomains: ["https://a.example"], frameDomains: ["https://b.example"] });
  const { searchParams } = new URL(toFramePath(domains), "http://127.0.0.1");
  expect(readFramePath(searchParams)).toEqual(domains);
  expect(readFramePath(new URLSearchParams({ connect: "*; script-src *", script: "https://c.example" }))).toEqual(
    readDomains(undefined).domains,
  );
  expect(listDomains(domains)).toEqual(["https://a.example", "https://b.example"]);
});
