import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../../../e2e/support/mcp-servers/oauth-server.mjs";
import { openBench, remote } from "../connections.test-support";

/** An older server without a sign-in that never answers where to sign in. */
async function startServer(): Promise<string> {
  const http = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (request.url?.startsWith("/.well-known/")) return;
    const message = request.method === "POST" ? JSON.parse(text) : {};
    if (message.id === undefined) {
      response.writeHead(request.method === "POST" ? 202 : 405).end();
      return;
    }
    const { protocolVersion } = message.params ?? {};
    const serverInfo = { name: "open", version: "1" };
    const result = message.method === "initialize" ? { protocolVersion, capabilities: {}, serverInfo } : { tools: [] };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

it("a sign-in that gets no answer ends after the connect timeout, and the next one starts", {
  timeout: 20_000,
}, async () => {
  const { connections } = openBench();
  const auth = { type: "oauth" } as const;
  connections.apply(remote("files", await startServer(), { auth, protocol: "legacy", connectTimeoutMs: 3000 }));
  expect(await connections.ready("files")).toMatchObject({ status: "connected" });
  for (const _ of ["first", "second"]) {
    expect(await connections.startSignIn("files", "http://127.0.0.1:3999/oauth/callback", null)).toBeNull();
  }
  expect(connections.log("files").map(({ text }) => text)).toContainEqual(
    expect.stringContaining("no response within 3 s from where the server says to sign in"),
  );
});

it("the end of a sign-in says so when the authorization server does not answer", { timeout: 20_000 }, async () => {
  const server = await startOAuthServer({});
  onTestFinished(() => server.close());
  const { connections } = openBench();
  const callback = "http://127.0.0.1:3999/oauth/callback";
  connections.apply(remote("files", server.url, { auth: { type: "oauth" }, connectTimeoutMs: 2000 }));
  await connections.ready("files");
  const address = await connections.startSignIn("files", callback, null);
  const response = await fetch(address ?? "", { redirect: "manual" });
  server.authorization.grant = () => undefined;
  const finished = connections.finishSignIn(new URL(response.headers.get("location") ?? "").searchParams);
  await expect(finished).rejects.toThrow("the authorization server did not answer within 2 s; sign in again");
});
