import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { startTlsServer } from "../../platform/outgoing/tls-server.test-support";
import { bearer, openAccounts, readCookie } from "./accounts.test-support";
import { createClientAuthorization } from "./client-authorization";
import { createClientDocuments } from "./client-documents";
import { createClientMetadata } from "./client-metadata";

const ORIGIN = "http://localhost:3000";
const REDIRECT = "http://127.0.0.1:4000/callback";
const VERIFIER = "v".repeat(50);

async function open() {
  const state = { document: {} as object, requests: 0 };
  const publisher = await startTlsServer((_request, response) => {
    state.requests += 1;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(state.document));
  });
  const clientId = `${publisher.url}/client.json`;
  const described = { client_id: clientId, client_name: "Notes", redirect_uris: ["http://127.0.0.1/callback"] };
  state.document = described;
  const accounts = await openAccounts({ publicUrl: ORIGIN, oauthOrigin: ORIGIN });
  const { auth, access, grants, audit, clock, addUser, signIn } = accounts;
  const metadata = createClientMetadata({
    auth,
    grants,
    origin: ORIGIN,
    takesAssertions: false,
    serverNames: () => [],
  });
  const authorization = createClientAuthorization({
    auth,
    access,
    grants,
    audit,
    documents: createClientDocuments({
      fetch: publisher.openFetch("127.0.0.1"),
      grants,
      schemes: [],
      now: () => clock.at,
    }),
    assertions: null,
    origin: ORIGIN,
    isServed: metadata.isServed,
    schemes: [],
    forgetTokens: async () => access.forgetClientTokens(),
  });
  const ada = await addUser("Ada", "operator");
  const cookie = readCookie(await signIn("ada@example.org")).get("cookie") ?? "";
  const headers = { host: "localhost:3000", origin: ORIGIN, "x-toolroom-peer": "10.0.0.1" };

  async function authorize(more: Record<string, string> = {}, sent: Record<string, string> = { cookie }): Promise<URL> {
    const query = new URLSearchParams({
      response_type: "code",
      client_id: clientId,
      redirect_uri: REDIRECT,
      scope: "mcp:read mcp:run",
      state: "s",
      code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
      code_challenge_method: "S256",
      ...more,
    });
    const request = new Request(`${ORIGIN}/api/auth/oauth2/authorize?${query}`, { headers: { ...headers, ...sent } });
    const response = await authorization.handle(request, "", {});
    return new URL(response?.headers.get("location") ?? "about:none", ORIGIN);
  }

  async function post(path: string, text: string, body: Record<string, unknown> = {}): Promise<Record<string, string>> {
    const type = text.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded";
    const sent = { ...headers, "content-type": type, cookie };
    const request = new Request(`${ORIGIN}/api/auth/oauth2/${path}`, { method: "POST", headers: sent, body: text });
    return (await (await authorization.handle(request, text, body))?.json()) as Record<string, string>;
  }

  async function consent(query: URLSearchParams): Promise<URL> {
    const decision = { accept: true, oauth_query: query.toString() };
    return new URL((await post("consent", JSON.stringify(decision), decision)).url ?? "");
  }

  const redeem = (code: string) => {
    const fields = { grant_type: "authorization_code", code, redirect_uri: REDIRECT, code_verifier: VERIFIER };
    return post("token", new URLSearchParams({ ...fields, client_id: clientId }).toString());
  };
  return { ...accounts, state, described, clientId, metadata, authorize, consent, redeem, post, ada };
}

it("a client whose id is the address of its metadata signs in without registration, and is named with that address at the consent", async () => {
  const { metadata, authorize, consent, redeem, access, clientId, ada, post } = await open();
  expect(await metadata.describe("/.well-known/oauth-authorization-server/api/auth")).toMatchObject({
    client_id_metadata_document_supported: true,
  });
  const page = await authorize();
  expect(page.pathname).toBe("/oauth/consent");
  expect(await metadata.readConsent(page.searchParams.toString(), ada.id)).toMatchObject({
    clientName: "Notes",
    document: clientId,
    host: "127.0.0.1:4000",
    redirect: REDIRECT,
    loopback: true,
  });
  const back = await consent(page.searchParams);
  const tokens = await redeem(back.searchParams.get("code") ?? "");
  expect(await access.authenticate(bearer(tokens.access_token ?? ""), "gateway", "/mcp")).toMatchObject({
    id: ada.id,
    token: { id: `client ${clientId}`, name: "Notes", scopes: ["read", "run"] },
  });
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token ?? "", client_id: clientId };
  expect(await post("token", new URLSearchParams(refresh).toString())).toMatchObject({ token_type: "Bearer" });
});

it("a document is fetched for signed-in users only, and one with a mistake ends at a page and in the audit log", async () => {
  const { authorize, state, described, audited, clientId } = await open();
  expect((await authorize({}, {})).pathname).toBe("/sign-in");
  expect(state.requests).toBe(0);
  state.document = { ...described, client_id: "https://client.example/a" };
  const page = await authorize();
  expect([page.pathname, page.searchParams.get("error")]).toEqual(["/oauth/consent", "client_document"]);
  expect((await audited()).at(-1)).toMatchObject({
    action: "client.refused",
    outcome: "denied",
    target: { name: clientId },
    error: "The document's client_id must be its own address, to the letter",
  });
  expect((await authorize({ client_id: "http://127.0.0.1/client.json" })).searchParams.get("error")).toBe(
    "client_document",
  );
});

it("an address that the document does not list gets no answer, also after the document was changed", async () => {
  const { authorize, state, described, clock } = await open();
  expect((await authorize({ redirect_uri: "http://127.0.0.1:4000/other" })).searchParams.get("error")).toBe(
    "invalid_redirect",
  );
  expect((await authorize()).searchParams.get("error")).toBeNull();
  state.document = { ...described, redirect_uris: ["https://client.example/callback"] };
  clock.at += 301_000;
  expect((await authorize()).searchParams.get("error")).toBe("invalid_redirect");
  expect((await authorize({ redirect_uri: "https://client.example/callback" })).searchParams.get("error")).toBeNull();
});
