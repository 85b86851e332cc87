import { describe, expect, it } from "vitest";
import { readEnv } from "./env";
import { readOidcSettings } from "./oidc-settings";

const GIVEN = {
  TOOLROOM_PUBLIC_URL: "https://tools.example.org",
  TOOLROOM_OIDC_ISSUER: "https://id.example.org",
  TOOLROOM_OIDC_CLIENT_ID: "toolroom",
};

const read = (more: Record<string, string> = {}, accounts = true) =>
  readOidcSettings(readEnv({ ...GIVEN, ...more }), accounts);

describe("the settings of single sign-on", () => {
  it("need an issuer and a client, admit invited users only and give no roles", () => {
    expect(read()).toEqual({
      origin: "https://tools.example.org",
      only: false,
      provider: {
        issuer: "https://id.example.org",
        clientId: "toolroom",
        clientSecret: null,
        name: "single sign-on",
        scopes: ["openid", "profile", "email"],
        prompt: null,
        rolesClaim: null,
        trustEmail: false,
      },
      admission: { roleOf: null, defaultRole: null, emailDomains: [] },
    });
    expect(readOidcSettings(readEnv({}), true)).toBeNull();
    expect(read({ TOOLROOM_OIDC_ONLY: "on" })?.only).toBe(true);
  });

  it("map values of a claim to roles, also values with an equals sign", () => {
    const settings = read({
      TOOLROOM_OIDC_ROLES_CLAIM: "groups",
      TOOLROOM_OIDC_ROLES: "ops = operator, cn=admins=admin",
      TOOLROOM_OIDC_DEFAULT_ROLE: "viewer",
      TOOLROOM_OIDC_EMAIL_DOMAINS: "@Example.org, example.com",
      TOOLROOM_OIDC_SCOPES: "email groups",
    });
    expect(settings?.admission.roleOf).toEqual(
      new Map([
        ["ops", "operator"],
        ["cn=admins", "admin"],
      ]),
    );
    expect(settings?.admission).toMatchObject({ defaultRole: "viewer", emailDomains: ["example.org", "example.com"] });
    expect(settings?.provider.scopes).toEqual(["openid", "email", "groups"]);
  });

  it("accept the address of the discovery document as the issuer", () => {
    const issuer = "https://id.example.org/realms/a";
    const settings = read({ TOOLROOM_OIDC_ISSUER: `${issuer}/.well-known/openid-configuration` });
    expect(settings?.provider.issuer).toBe(issuer);
  });

  it.each([
    [{ TOOLROOM_OIDC_ISSUER: "" }, "TOOLROOM_OIDC_ISSUER is missing"],
    [{ TOOLROOM_OIDC_ISSUER: "http://id.example.org" }, "TOOLROOM_OIDC_ISSUER must be an https address"],
    [{ TOOLROOM_OIDC_CLIENT_ID: "" }, "TOOLROOM_OIDC_CLIENT_ID is missing"],
    [{ TOOLROOM_PUBLIC_URL: "" }, "TOOLROOM_OIDC_ISSUER needs the address"],
    [{ TOOLROOM_OIDC_ROLES: "ops=operator" }, "TOOLROOM_OIDC_ROLES_CLAIM"],
    [{ TOOLROOM_OIDC_ROLES_CLAIM: "groups" }, "TOOLROOM_OIDC_ROLES"],
    [{ TOOLROOM_OIDC_ROLES_CLAIM: "groups", TOOLROOM_OIDC_ROLES: "ops=king" }, "'ops=king' must be"],
    [{ TOOLROOM_OIDC_DEFAULT_ROLE: "king" }, "TOOLROOM_OIDC_DEFAULT_ROLE must be one of viewer"],
    [{ TOOLROOM_OIDC_TRUST_EMAIL: "yes" }, "TOOLROOM_OIDC_TRUST_EMAIL"],
    [{ TOOLROOM_OIDC_ONLY: "yes" }, "TOOLROOM_OIDC_ONLY"],
    [{ TOOLROOM_OIDC_PROMPT: "none" }, "TOOLROOM_OIDC_PROMPT"],
  ])("name the variable that is wrong: %j", (change, message) => {
    expect(() => read(change)).toThrow(message);
  });

  it("are an error while accounts are off, and the secret reaches no MCP server", () => {
    expect(() => read({}, false)).toThrow("TOOLROOM_OIDC_ISSUER needs accounts");
    expect(() => read({ TOOLROOM_OIDC_ONLY: "on" }, false)).toThrow("TOOLROOM_OIDC_ISSUER needs accounts");
    expect(() => readOidcSettings(readEnv({ TOOLROOM_OIDC_ONLY: "on" }), true)).toThrow(
      "TOOLROOM_OIDC_ISSUER is missing",
    );
    expect(readEnv({ TOOLROOM_OIDC_CLIENT_SECRET: "s", OTHER: "1" }).variables).toEqual({ OTHER: "1" });
  });
});
