import { describe, expect, it } from "vitest";
import { readRegistration } from "./client-registration";
import { isForPath, readMcpPath } from "./client-tokens";

const LOOPBACK = "http://localhost:3118/callback";
const HTTPS = "https://claude.ai/cb";
const CURSOR = "cursor://anysphere.cursor-mcp/oauth/callback";
const register = (given: object) => readRegistration({ redirect_uris: [LOOPBACK], ...given }, []);

describe("the registration of a program", () => {
  it("is native where an answer goes to this machine, whatever the program says, and web for https alone", () => {
    for (const type of [undefined, "web", "native", "other"]) {
      for (const uris of [[LOOPBACK], ["http://[::1]:9/cb"], [CURSOR], [LOOPBACK, HTTPS], [HTTPS, CURSOR, LOOPBACK]]) {
        const registration = register({ redirect_uris: uris, application_type: type });
        expect([type, uris, registration]).toEqual([
          type,
          uris,
          expect.objectContaining({
            redirectUris: uris,
            body: expect.objectContaining({ application_type: "native", token_endpoint_auth_method: "none" }),
          }),
        ]);
      }
      const expected = type === "native" ? "native" : "web";
      const { body } = register({ redirect_uris: [HTTPS], application_type: type }) as { body: object };
      expect(body).toMatchObject({ application_type: expected });
    }
  });

  it("keeps nothing that gives a program more than others, or makes the server or a page load an address", () => {
    const given = {
      token_endpoint_auth_method: "client_secret_basic",
      skip_consent: true,
      jwks_uri: "https://evil.example",
      logo_uri: "https://evil.example/x.png",
      scope: "admin",
      grant_types: ["client_credentials", "refresh_token"],
    };
    expect(register({ ...given, client_name: "  A\u0000\u202eB\n" })).toEqual({
      redirectUris: [LOOPBACK],
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
    (uris) => {
      const description = expect.stringMatching(/^redirect_uris(?: must|\[0\] )/);
      expect(register({ redirect_uris: uris })).toEqual({ error: "invalid_redirect_uri", description });
    },
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
