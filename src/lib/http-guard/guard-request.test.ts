import { describe, expect, it } from "vitest";
import { createHostPolicy, type GuardedRequest, guardRequest } from "./host-policy";

const policy = createHostPolicy({ host: "127.0.0.1", allowedHosts: "tools.example.org" });

function check(request: Partial<GuardedRequest>) {
  return guardRequest(
    {
      method: "GET",
      pathname: "/",
      host: "127.0.0.1:3000",
      origin: null,
      secFetchSite: null,
      contentType: null,
      ...request,
    },
    policy,
  );
}

const POST_JSON = { method: "POST", pathname: "/api/trpc/executions.run", contentType: "application/json" };

describe("a request from a name that is not ours", () => {
  it.each(["/", "/tools/echo", "/api/trpc/tools.list", "/_next/static/chunks/a.js"])("is refused on %s", (pathname) => {
    expect(check({ pathname, host: "rebound.example:3000" })).toMatchObject({ allowed: false, status: 421 });
  });

  it("gets an error that names the setting that allows it", () => {
    const verdict = check({ host: "tools.lan:3000" });
    expect(verdict).toHaveProperty("message", expect.stringContaining('"tools.lan:3000"'));
    expect(verdict).toHaveProperty("message", expect.stringContaining("TOOLROOM_ALLOWED_HOSTS"));
  });

  it("gets its name back without anything that could be markup", () => {
    const verdict = check({ host: "<script>alert(1)</script>" });
    expect(verdict).toHaveProperty("message", expect.not.stringMatching(/[<>]/));
  });

  it("is refused when it has no name", () => {
    expect(check({ host: null })).toMatchObject({ allowed: false, status: 421 });
  });
});

describe("a call to the API", () => {
  it("may come from the console's own page", () => {
    expect(check({ ...POST_JSON, origin: "http://127.0.0.1:3000", secFetchSite: "same-origin" }).allowed).toBe(true);
  });

  it("may be the return from the identity provider, by GET on exactly that path", () => {
    const back = { pathname: "/api/auth/callback/oidc", secFetchSite: "cross-site" };
    expect(check(back).allowed).toBe(true);
    for (const other of [
      { method: "POST" },
      { pathname: "/api/auth/callback/oidc/x" },
      { pathname: "/api/auth/callback/other" },
      { pathname: "/api/auth/sign-in/sso" },
    ]) {
      expect(check({ ...back, ...other })).toMatchObject({ allowed: false, status: 403 });
    }
  });

  it("may come from a program, which sends no origin", () => {
    expect(check(POST_JSON).allowed).toBe(true);
  });

  it("may come through a proxy with a configured name", () => {
    expect(check({ ...POST_JSON, origin: "https://tools.example.org" }).allowed).toBe(true);
    expect(check({ ...POST_JSON, host: "tools.example.org", origin: "https://tools.example.org" }).allowed).toBe(true);
  });

  it("may come from a page on the default port, which the origin leaves out", () => {
    expect(check({ ...POST_JSON, host: "localhost:80", origin: "http://localhost" }).allowed).toBe(true);
    expect(check({ ...POST_JSON, host: "localhost", origin: "http://localhost" }).allowed).toBe(true);
  });

  it.each([
    "http://evil.example",
    "http://127.0.0.1:5173",
    "http://localhost:3000",
    "null",
    "",
    "nonsense",
    "file://",
    "http://127.0.0.1:3000.evil.example",
  ])("may not come from a page of %s", (origin) => {
    expect(check({ ...POST_JSON, origin })).toMatchObject({ allowed: false, status: 403 });
    expect(check({ pathname: "/api/trpc/tools.list", origin })).toMatchObject({ allowed: false, status: 403 });
  });

  it("may not come from another site, also where no origin is sent", () => {
    expect(check({ pathname: "/api/trpc/tools.list", secFetchSite: "cross-site" })).toMatchObject({
      allowed: false,
      status: 403,
    });
  });

  it.each([
    null,
    "",
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "text/plain; application/json",
    "application/jsonp",
  ])("may not post a body of type %s", (contentType) => {
    expect(check({ ...POST_JSON, contentType })).toMatchObject({ allowed: false, status: 415 });
  });

  it("may post JSON with a character set", () => {
    expect(check({ ...POST_JSON, contentType: "Application/JSON; charset=utf-8" }).allowed).toBe(true);
  });
});

describe("a page", () => {
  it("may be linked from another site", () => {
    expect(check({ pathname: "/tools", secFetchSite: "cross-site" }).allowed).toBe(true);
  });
});
