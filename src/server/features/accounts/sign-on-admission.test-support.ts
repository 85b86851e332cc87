import type { IssuedTokens } from "../../../lib/contract/proven-identity";
import { createIdentityProvider } from "../../platform/auth/identity-provider";
import { CLIENT, startOpenIdProvider } from "../../platform/auth/identity-provider.test-support";
import { createAddressPolicy } from "../../platform/outgoing/address-policy";
import { createOutgoingAgents } from "../../platform/outgoing/outgoing-agents";
import { createOutgoingFetch } from "../../platform/outgoing/outgoing-fetch";
import { openAccounts, readCookie } from "./accounts.test-support";
import { createSignInRequests } from "./sign-in-requests";
import { type AdmissionRules, createAdmission } from "./sign-on-admission";
import { createSignOnRequests } from "./sign-on-requests";

export const ORIGIN = "http://localhost:3000";
const INVITED: AdmissionRules = { roleOf: null, defaultRole: null, emailDomains: [] };
export const BY_GROUP: AdmissionRules = {
  ...INVITED,
  roleOf: new Map([
    ["ops", "operator"],
    ["staff", "viewer"],
    ["root", "admin"],
  ]),
};

export async function openSignOn(
  rules: Partial<AdmissionRules> = {},
  more: { trustEmail?: boolean; private?: string; only?: boolean } = {},
) {
  const idp = await startOpenIdProvider();
  const policy = createAddressPolicy({ privateAddresses: more.private ?? "allow", local: true });
  const identityProvider = createIdentityProvider(
    {
      issuer: idp.issuer,
      clientId: CLIENT.id,
      clientSecret: CLIENT.secret,
      name: "Example ID",
      scopes: ["openid", "email"],
      rolesClaim: "groups",
      trustEmail: more.trustEmail ?? false,
    },
    createOutgoingFetch(createOutgoingAgents(policy)),
  );
  const accounts = await openAccounts({
    publicUrl: ORIGIN,
    identityProvider,
    onlySignOn: more.only === true ? "Example ID" : null,
  });
  const { auth, links, access, audit, store, clock, endings, throttle, devices, publishChange, onlySignOn } = accounts;
  const errors: object[] = [];
  const kept = new Map<string, IssuedTokens>();
  const logger = { error: (fields: object) => void errors.push(fields) };
  const authenticate = (headers: Headers) => access.authenticate(headers, "console");
  const now = () => clock.at;
  const answer = createSignInRequests({
    auth,
    links,
    audit,
    clients: null,
    logger,
    authenticate,
    throttle,
    devices,
    publishChange,
    onlySignOn,
    onAccessChange: access.onChange,
    findUser: (email) => store.findUserByEmail(email),
    admit: () => undefined,
    signOn: createSignOnRequests({
      auth,
      audit,
      logger,
      authenticate,
      origin: ORIGIN,
      name: "Example ID",
      onAccessChange: access.onChange,
      keepTokens: async (user, tokens) => void kept.set(user, tokens),
      admission: createAdmission({ rules: { ...INVITED, ...rules }, store, auth, endings, audit, now }),
    }),
  });
  const peers = Array.from({ length: 100 }, (_, at) => `10.0.0.${at}`).values();
  const toHeaders = (cookie: string, extra: Record<string, string> = {}) => ({
    host: "localhost:3000",
    origin: ORIGIN,
    "x-toolroom-peer": peers.next().value ?? "",
    cookie,
    ...extra,
  });

  const start = (body: object = {}, cookie = "", extra: Record<string, string> = {}) =>
    answer(
      new Request(`${ORIGIN}/api/auth/sign-in/sso`, {
        method: "POST",
        headers: toHeaders(cookie, { "content-type": "application/json", ...extra }),
        body: JSON.stringify(body),
      }),
    );

  /** Where the provider sends the browser back to, with the cookies that it has by then. */
  async function visit(body: object = {}, cookie = "") {
    const started = await start(body, cookie);
    if (!started.ok) throw new Error(await started.text());
    const { url } = (await started.json()) as { url: string };
    const sent = await fetch(url, { redirect: "manual" });
    const cookies = [cookie, readCookie(started).get("cookie") ?? ""].filter((each) => each !== "").join("; ");
    return { url: new URL(url), back: sent.headers.get("location") ?? "", cookies };
  }

  const comeBack = (back: string, cookie: string) => answer(new Request(back, { headers: toHeaders(cookie) }));

  async function signOn(body: object = {}, cookie = "") {
    const { back, cookies } = await visit(body, cookie);
    const response = await comeBack(back, cookies);
    const user = await access.authenticate(readCookie(response)).catch(() => null);
    return { location: response.headers.get("location"), user, response };
  }

  return { ...accounts, answer, toHeaders, idp, start, visit, comeBack, signOn, errors, kept };
}
