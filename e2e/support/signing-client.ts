import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on loopback; what it is asked for is kept. */
export async function listen() {
  const requests: URL[] = [];
  const server = createServer((request, response) => {
    requests.push(new URL(request.url ?? "", "http://127.0.0.1"));
    response.setHeader("content-type", "text/html").end("<title>Signed in</title><link rel=icon href=data:,>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { port, requests, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** A client in front of its user's browser. */
export async function startClient(url: string, redirect: string) {
  const challenge = (await fetch(`${url}/mcp`, { method: "POST" })).headers.get("www-authenticate") ?? "";
  const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
  const { resource, authorization_servers: servers } = await (await fetch(metadata)).json();
  const { pathname, origin } = new URL(servers[0]);
  const about = await (await fetch(`${origin}/.well-known/oauth-authorization-server${pathname}`)).json();
  const registered = await fetch(about.registration_endpoint, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: "Journey client", redirect_uris: [redirect] }),
  });
  const { client_id: id } = await registered.json();
  const verifier = randomBytes(32).toString("base64url");
  const query = new URLSearchParams({
    response_type: "code",
    client_id: id,
    redirect_uri: redirect,
    resource,
    state: "s",
    scope: "mcp:read mcp:run",
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  return {
    authorizeUrl: `${about.authorization_endpoint}?${query}`,
    async redeem(code: string): Promise<string> {
      const body = { grant_type: "authorization_code", client_id: id, code, redirect_uri: redirect };
      const form = new URLSearchParams({ ...body, code_verifier: verifier });
      return (await (await fetch(about.token_endpoint, { method: "POST", body: form })).json()).access_token;
    },
    async connect(token: string): Promise<number> {
      const headers = { authorization: `Bearer ${token}`, accept: "application/json, text/event-stream" };
      const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "journey", version: "1" } };
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      const init = { method: "POST", headers: { ...headers, "content-type": "application/json" }, body };
      return (await fetch(resource, init)).status;
    },
  };
}
