import { describe, expect, it } from "vitest";
import type { LoadProblem } from "../../lib/contract/catalog-tool";
import { readJwtIssuers } from "./jwt-issuers";

const ENTRY = { issuer: "https://id.example.org", audience: "https://tools.example.org/mcp" };

function read(jwtIssuers: unknown[], accounts = true) {
  const problems: LoadProblem[] = [];
  const issuers = readJwtIssuers({ jwtIssuers, path: "toolroom.json", problems }, accounts);
  return { issuers, problems: problems.map(({ error }) => error) };
}

describe("the issuers of the configuration file", () => {
  it("have defaults that let in invited users by their subject", () => {
    const { issuers, problems } = read([ENTRY]);
    expect(problems).toEqual([]);
    expect(issuers).toEqual([
      {
        issuer: {
          issuer: ENTRY.issuer,
          grants: false,
          audiences: [ENTRY.audience],
          jwksUrl: null,
          algorithms: expect.arrayContaining(["RS256", "ES256", "EdDSA"]),
          claims: { user: "sub", email: "email", name: "name", roles: null },
          trustEmail: false,
        },
        admission: { roleOf: null, defaultRole: null, emailDomains: [] },
      },
    ]);
  });

  it("map the values of a claim to roles", () => {
    const roles = { admins: "admin", staff: "viewer" };
    const { issuers } = read([
      { ...ENTRY, claims: { roles: "realm.groups" }, roles, defaultRole: "viewer", emailDomains: ["@Example.org"] },
    ]);
    expect(issuers[0]?.issuer.claims.roles).toBe("realm.groups");
    expect(issuers[0]?.admission).toEqual({
      roleOf: new Map(Object.entries(roles)),
      defaultRole: "viewer",
      emailDomains: ["example.org"],
    });
  });

  it.each([
    [null, /^auth\.jwt\.1: /],
    ["https://id.example.org", /^auth\.jwt\.1: /],
    [{ ...ENTRY, issuer: undefined }, /auth\.jwt\.1\.issuer/],
    [{ ...ENTRY, issuer: "http://id.example.org" }, /auth\.jwt\.1\.issuer: must be an https address/],
    [{ ...ENTRY, issuer: "https://user:pass@id.example.org" }, /auth\.jwt\.1\.issuer/],
    [{ ...ENTRY, issuer: "id.example.org" }, /auth\.jwt\.1\.issuer/],
    [{ ...ENTRY, issuer: "https://first.example.org" }, /listed twice/],
    [{ ...ENTRY, audience: undefined }, /auth\.jwt\.1\.audience/],
    [{ ...ENTRY, audience: "" }, /auth\.jwt\.1\.audience/],
    [{ ...ENTRY, audience: [] }, /auth\.jwt\.1\.audience/],
    [{ ...ENTRY, jwksUrl: "file:///etc/passwd" }, /auth\.jwt\.1\.jwksUrl/],
    [{ ...ENTRY, algorithms: ["HS256"] }, /auth\.jwt\.1\.algorithms/],
    [{ ...ENTRY, algorithms: ["none"] }, /auth\.jwt\.1\.algorithms/],
    [{ ...ENTRY, algorithms: [] }, /auth\.jwt\.1\.algorithms/],
    [{ ...ENTRY, roles: { a: "admin" } }, /auth\.jwt\.1\.roles: needs claims\.roles/],
    [{ ...ENTRY, claims: { roles: "groups" } }, /auth\.jwt\.1\.roles: needs claims\.roles/],
    [{ ...ENTRY, claims: { roles: "groups" }, roles: { a: "root" } }, /auth\.jwt\.1\.roles/],
    [{ ...ENTRY, claims: { subject: "sub" } }, /auth\.jwt\.1\.claims/],
    [{ ...ENTRY, defaultRole: "root" }, /auth\.jwt\.1\.defaultRole/],
    [{ ...ENTRY, emailDomain: "example.org" }, /auth\.jwt\.1: /],
  ])("leave out %j, name its fault, and keep the others", (entry, problem) => {
    const first = { ...ENTRY, issuer: "https://first.example.org" };
    const { issuers, problems } = read([first, entry]);
    expect(issuers.map(({ issuer }) => issuer.issuer)).toEqual([first.issuer]);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  it("may let clients in only, without an audience of access tokens", () => {
    const { issuers } = read([{ issuer: ENTRY.issuer, crossAppAccess: true }]);
    expect(issuers[0]?.issuer).toMatchObject({ grants: true, audiences: [] });
  });

  it("need accounts", () => {
    expect(read([ENTRY], false)).toEqual({ issuers: [], problems: [expect.stringContaining("TOOLROOM_AUTH=on")] });
    expect(read([], false).problems).toEqual([]);
  });
});
