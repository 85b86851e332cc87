import { describe, expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { ServerAuth } from "../../../../lib/contract/server";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { buildContext, openBench, readText, remote } from "../connections.test-support";
import { chooseResource } from "./lenient-metadata";

const CALLBACK = "http://127.0.0.1:3999/oauth/callback";
const OAUTH: ServerAuth = { type: "oauth" };

async function open(behaviour: Parameters<typeof startOAuthServer>[0] = {}, auth: ServerAuth = OAUTH) {
  const server = await startOAuthServer(behaviour);
  onTestFinished(() => server.close());
  const { connections } = openBench();
  connections.apply(remote("files", server.url, { auth }));
  await connections.ready("files");
  return { server, connections };
}

/** Signs in as a browser does, and calls a tool. */
async function signIn({ connections }: Awaited<ReturnType<typeof open>>): Promise<{ text: string; address: URL }> {
  const address = new URL((await connections.startSignIn("files", CALLBACK)) ?? "");
  const response = await fetch(address, { redirect: "manual" });
  await connections.finishSignIn(new URL(response.headers.get("location") ?? "").searchParams);
  await waitUntil(() => connections.state("files")?.status === "connected");
  return { text: readText(await connections.call("files", "whoami", {}, buildContext())), address };
}

const nulls = (...names: string[]) => Object.fromEntries(names.map((name) => [name, null]));

describe("a sign-in at a server", () => {
  it("takes null for absent in everything that leads to it", async () => {
    const opened = await open({
      metadata: nulls("introspection_endpoint", "revocation_endpoint", "service_documentation", "scopes_supported"),
      resourceMetadata: nulls("resource_name", "bearer_methods_supported", "jwks_uri", "resource_documentation"),
      tokenExtras: nulls("client_secret", "client_uri", "id_token", "scope", "refresh_token", "client_id_issued_at"),
    });
    expect((await signIn(opened)).text).toContain("client-");
  });

  it("renews tokens where the answer names null", async () => {
    const opened = await open({ tokenExtras: nulls("id_token", "scope", "refresh_token") });
    await signIn(opened);
    opened.server.authorization.expireAccess();
    expect(readText(await opened.connections.call("files", "whoami", {}, buildContext()))).toContain("client-");
  });

  it("uses the first authorization server that can be used", async () => {
    const other = await startOAuthServer();
    await other.close();
    const opened = await open();
    const { issuer, behaviour } = opened.server;
    behaviour.resourceMetadata = { authorization_servers: [other.issuer, null, "no address", issuer] };
    expect((await signIn(opened)).address.origin).toBe(issuer);
  });

  it.each(["/mcp/", "/mcp", "/", ""])("is for the resource with the path '%s', as it is written", async (path) => {
    const opened = await open();
    const resource = new URL(opened.server.url).origin + path;
    opened.server.behaviour.resourceMetadata = { resource };
    expect((await signIn(opened)).address.searchParams.get("resource")).toBe(resource);
  });

  it.each([
    ["no registration endpoint", { metadata: nulls("registration_endpoint") }, "registers no applications by itself"],
    ["a refused registration", { registrationStatus: 403 }, "refused to register Toolroom (403)"],
  ])("says after %s what to register and where to enter it", async (_, behaviour, fault) => {
    const { connections } = await open(behaviour);
    await expect(connections.startSignIn("files", CALLBACK)).rejects.toThrow(
      `The authorization server ${fault}: register an application there with the redirect address ${CALLBACK}, and enter its Client ID under Edit`,
    );
    expect(connections.state("files")?.status).toBe("sign_in_needed");
  });

  it("says in a sentence what cannot be used", async () => {
    const { connections } = await open({ metadata: nulls("token_endpoint") });
    await expect(connections.startSignIn("files", CALLBACK)).rejects.toThrow(/cannot be used: 'token_endpoint': /);
  });
});

describe("an authorization server with another name than its address", () => {
  const named = "https://login.example/{tenant}";

  it.each([undefined, "https://other.example"])("is refused where %s is accepted", async (acceptedIssuer) => {
    const { connections, server } = await open({ metadataIssuer: named }, { type: "oauth", acceptedIssuer });
    await expect(connections.startSignIn("files", CALLBACK)).rejects.toThrow(
      `The authorization server at ${server.issuer} calls itself '${named}': if that is the same service, enter this name as Accepted issuer under Edit`,
    );
    expect(server.authorization.log.some(({ path }) => path === "/register")).toBe(false);
  });

  it("is used where its name is accepted, which then names the answer too", async () => {
    const behaviour = { metadataIssuer: named, callbackIssuer: named };
    const opened = await open(behaviour, { type: "oauth", acceptedIssuer: named });
    expect((await signIn(opened)).text).toContain("client-");
  });

  it("is used with client credentials where its name is accepted", async () => {
    const { connections } = await open(
      { metadataIssuer: named, clients: [{ client_id: "robot", client_secret: "s" }] },
      { type: "client_credentials", clientId: "robot", clientSecret: "s", acceptedIssuer: named },
    );
    expect(connections.state("files")).toMatchObject({ status: "connected" });
  });
});

describe("the resource of a token", () => {
  it.each(["https://evil.example/mcp", "https://a.example/other", "https://a.example/mcp/deeper", "nothing"])(
    "is not %s, which another server has",
    (named) => {
      expect(() => chooseResource("https://a.example/mcp", named)).toThrow(/metadata/);
    },
  );
});
