import { describe, expect, it } from "vitest";
import { readRegistration } from "./client-registration";
import { isForPath, readMcpPath } from "./client-tokens";

const LOOPBACK = "http://localhost:3118/callback";
const register = (given: object) => readRegistration({ redirect_uris: [LOOPBACK], ...given });

describe("the registration of a program", () => {
  it("is native where all answers go to this machine and the program does not say", () => {
    expect(register({})).toMatchObject({ body: { application_type: "native" } });
    expect(register({ redirect_uris: ["http://[::1]:9/cb"] })).toMatchObject({ body: { application_type: "native" } });
    expect(register({ redirect_uris: [LOOPBACK, "https://claude.ai/cb"] })).toMatchObject({
      body: { application_type: "web" },
    });
    expect(register({ application_type: "web" })).toMatchObject({ body: { application_type: "web" } });
  });

  it("keeps nothing that gives a program more than others, or makes the server or a page load an address", () => {
    const given = {
      ...{ token_endpoint_auth_method: "client_secret_basic", skip_consent: true, jwks_uri: "https://evil.example" },
      ...{
        logo_uri: "https://evil.example/x.png",
        scope: "admin",
        grant_types: ["client_credentials", "refresh_token"],
      },
    };
    expect(register({ ...given, client_name: "  A\u0000\u202eB\n" })).toEqual({
      body: {
        client_name: "A B",
        redirect_uris: [LOOPBACK],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
        application_type: "native",
      },
    });
    expect(register({ grant_types: ["authorization_code"] })).toMatchObject({
      body: { grant_types: ["authorization_code"] },
    });
  });

  it.each([undefined, "x", [], [1], ["/cb"], [`${LOOPBACK}#x`], Array(11).fill(LOOPBACK)])(
    "is refused without sound addresses: %j",
    (uris) => expect(register({ redirect_uris: uris })).toMatchObject({ error: "invalid_redirect_uri" }),
  );
});

describe("the address that a token is for", () => {
  it.each([
    ["/mcp", null],
    ["/mcp/", null],
    ["/mcp/files", "files"],
    ["/mcp/a%20b", "a b"],
    ["/mcp/a/b", undefined],
    ["/mcpx", undefined],
    ["/api/v1", undefined],
    ["/mcp/%", undefined],
  ])("%s names %s", (path, server) => expect(readMcpPath(path)).toBe(server));

  it("is one server or all of them, of this origin only", () => {
    const origin = "https://tools.example.org";
    expect(isForPath([`${origin}/mcp`], origin, "/mcp/files")).toBe(true);
    expect(isForPath([`${origin}/mcp/files`], origin, "/mcp/files")).toBe(true);
    expect(isForPath([`${origin}/mcp/files`], origin, "/mcp/other")).toBe(false);
    expect(isForPath([`${origin}/mcp/files`], origin, "/mcp")).toBe(false);
    expect(isForPath([`${origin}/mcp`], origin, "")).toBe(false);
    expect(isForPath([`${origin}.evil.example/mcp`, "https://other.example/mcp"], origin, "/mcp")).toBe(false);
    expect(isForPath([], origin, "/mcp")).toBe(false);
  });
});
