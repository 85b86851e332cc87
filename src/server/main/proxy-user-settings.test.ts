import { expect, it } from "vitest";
import { readEnv } from "./env";
import { readProxyUserSettings } from "./proxy-user-settings";

const read = (variables: Record<string, string>) => readProxyUserSettings(readEnv(variables));
const BASE = { TOOLROOM_TRUSTED_PROXIES: "10.0.0.5", TOOLROOM_PROXY_USER_HEADER: "X-Forwarded-User" };

it("proxies name no users by default", () => {
  expect(read({})).toBeNull();
  expect(read({ TOOLROOM_TRUSTED_PROXIES: "10.0.0.5" })).toBeNull();
});

it("a proxy's header, groups and roles are read", () => {
  const roles = { TOOLROOM_PROXY_ROLES_HEADER: "Remote-Groups", TOOLROOM_PROXY_ROLES: "ops=operator,it=admin" };
  const more = { TOOLROOM_PROXY_DEFAULT_ROLE: "viewer", TOOLROOM_PROXY_EMAIL_DOMAIN: "@Example.org" };
  const settings = read({ ...BASE, ...roles, ...more });
  expect(settings).toMatchObject({
    headers: { user: "x-forwarded-user", groups: "remote-groups" },
    emailDomain: "example.org",
    admission: { defaultRole: "viewer", linksByAddress: true },
  });
  expect([...(settings?.admission.roleOf ?? [])]).toEqual([
    ["ops", "operator"],
    ["it", "admin"],
  ]);
});

it.each([
  ["without trusted proxies", { TOOLROOM_PROXY_USER_HEADER: "Remote-User" }, /TOOLROOM_TRUSTED_PROXIES/],
  ["with empty trusted proxies", { ...BASE, TOOLROOM_TRUSTED_PROXIES: " " }, /TOOLROOM_TRUSTED_PROXIES/],
  ["without accounts", { ...BASE, TOOLROOM_AUTH: "off" }, /TOOLROOM_AUTH=off/],
  ["without the header", { TOOLROOM_PROXY_DEFAULT_ROLE: "viewer" }, /TOOLROOM_PROXY_USER_HEADER is missing/],
  ["by a header that clients send", { ...BASE, TOOLROOM_PROXY_USER_HEADER: "Authorization" }, /only the proxy sends/],
  [
    "by a header with another meaning",
    { ...BASE, TOOLROOM_PROXY_USER_HEADER: "X-Forwarded-For" },
    /only the proxy sends/,
  ],
  ["by a name that is none", { ...BASE, TOOLROOM_PROXY_USER_HEADER: "Remote User" }, /TOOLROOM_PROXY_USER_HEADER/],
  ["with roles alone", { ...BASE, TOOLROOM_PROXY_ROLES: "a=admin" }, /needs TOOLROOM_PROXY_ROLES_HEADER/],
  [
    "with a group header alone",
    { ...BASE, TOOLROOM_PROXY_ROLES_HEADER: "Remote-Groups" },
    /needs TOOLROOM_PROXY_ROLES/,
  ],
  ["with an unknown role", { ...BASE, TOOLROOM_PROXY_DEFAULT_ROLE: "king" }, /TOOLROOM_PROXY_DEFAULT_ROLE must be/],
  ["with a domain that is none", { ...BASE, TOOLROOM_PROXY_EMAIL_DOMAIN: "a b" }, /TOOLROOM_PROXY_EMAIL_DOMAIN/],
])("proxies name no users %s: the start says why", (_, variables, reason) => {
  expect(() => read(variables)).toThrow(reason);
});
