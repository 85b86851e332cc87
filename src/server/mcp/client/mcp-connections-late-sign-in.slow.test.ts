import { describe, expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../../e2e/support/mcp-servers/oauth-server.mjs";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { type Bench, buildContext, openBench, readText, remote } from "./connections.test-support";

const CALLBACK = "http://127.0.0.1:3999/oauth/callback";
const OAUTH = { type: "oauth" } as const;

type Given = Parameters<typeof startOAuthServer>[0];

async function startServer(given: Given): Promise<Awaited<ReturnType<typeof startOAuthServer>>> {
  const server = await startOAuthServer(given);
  onTestFinished(() => server.close());
  return server;
}

/** Signs in at the authorization server as a browser does: follows the redirect back to us, with the answer in the address. */
async function signIn({ connections }: Bench, returnTo: string | null = null): Promise<{ scope: string | null }> {
  const address = await connections.startSignIn("files", CALLBACK, returnTo);
  if (address === null) throw new Error("the server demands no sign-in");
  const response = await fetch(address, { redirect: "manual" });
  const params = new URL(response.headers.get("location") ?? "").searchParams;
  expect(await connections.finishSignIn(params)).toEqual({ server: "files", returnTo });
  await waitUntil(() => connections.state("files")?.status === "connected");
  return { scope: new URL(address).searchParams.get("scope") };
}

const call = ({ connections }: Bench): Promise<string> =>
  connections.call("files", "whoami", {}, buildContext()).then(readText);

describe.each(["auto", "legacy"] as const)("a server with protocol '%s' that demands a sign-in late", (protocol) => {
  it("leads to the sign-in when only tools/list demands it, and lists the tools afterwards", async () => {
    const server = await startServer({ protectedMethods: ["tools/list"] });
    const bench = openBench();
    bench.connections.apply(remote("files", server.url, { auth: OAUTH, protocol }));
    expect(await bench.connections.ready("files")).toMatchObject({ status: "sign_in_needed", nextAttemptAt: null });
    expect(bench.lists).toEqual([]);
    await signIn(bench);
    expect(bench.lists.at(-1)?.tools).toMatchObject([{ name: "whoami" }]);
  });

  it("leads to the sign-in when only tools/call demands it, and the same call succeeds afterwards", async () => {
    const server = await startServer({ protectedMethods: ["tools/call"] });
    const bench = openBench();
    bench.connections.apply(remote("files", server.url, { auth: OAUTH, protocol }));
    expect(await bench.connections.ready("files")).toMatchObject({ status: "connected" });
    await expect(call(bench)).rejects.toMatchObject({
      kind: "sign_in_needed",
      message: expect.stringMatching(/Server 'files': The server requires a sign-in: press 'Sign in'/),
    });
    expect(bench.connections.state("files")).toMatchObject({ status: "sign_in_needed", nextAttemptAt: null });
    await expect(call(bench)).rejects.toMatchObject({ kind: "sign_in_needed" });
    await signIn(bench, "/executions/exec_1");
    expect(await call(bench)).toContain("client");
  });

  it("leads to a new sign-in when the server no longer accepts the token and it cannot be renewed", async () => {
    const server = await startServer({ protectedMethods: ["tools/call"] });
    const bench = openBench();
    bench.connections.apply(remote("files", server.url, { auth: OAUTH, protocol }));
    await bench.connections.ready("files");
    await signIn(bench);
    expect(await call(bench)).toContain("client");
    server.authorization.revokeAll();
    await expect(call(bench)).rejects.toMatchObject({ kind: "sign_in_needed" });
    await signIn(bench);
    expect(await call(bench)).toContain("client");
  });

  it("still offers the sign-in after the server was reconnected without one", async () => {
    const server = await startServer({ protectedMethods: ["tools/call"] });
    const bench = openBench();
    bench.connections.apply(remote("files", server.url, { auth: OAUTH, protocol }));
    await expect(call(bench)).rejects.toMatchObject({ kind: "sign_in_needed" });
    expect(await bench.connections.reconnect("files")).toMatchObject({ status: "connected" });
    await signIn(bench);
    expect(await call(bench)).toContain("client");
  });

  it("asks for a missing scope in addition to those that were asked for before", async () => {
    const server = await startServer({ scopeOf: { "tools/call": "write" } });
    const bench = openBench();
    bench.connections.apply(remote("files", server.url, { auth: { ...OAUTH, scope: "read" }, protocol }));
    await bench.connections.ready("files");
    expect(await signIn(bench)).toEqual({ scope: "read" });
    await expect(call(bench)).rejects.toMatchObject({
      kind: "sign_in_needed",
      message: expect.stringContaining("the scope 'write'"),
    });
    expect(await signIn(bench)).toEqual({ scope: "read write" });
    expect(await call(bench)).toContain("client");
  });

  it("asks for a missing scope once: a server that still refuses fails the call, and the connection stays", async () => {
    const server = await startServer({ scopeOf: { "tools/call": "write" }, grantsScopes: false });
    const bench = openBench();
    bench.connections.apply(remote("files", server.url, { auth: OAUTH, protocol }));
    await bench.connections.ready("files");
    await signIn(bench);
    await expect(call(bench)).rejects.toMatchObject({ kind: "sign_in_needed" });
    await signIn(bench);
    await expect(call(bench)).rejects.toMatchObject({
      kind: "unavailable",
      message: expect.stringMatching(/still refuses after a sign-in that asked for it: sign out/),
    });
    expect(bench.connections.state("files")?.status).toBe("connected");
  });
});

it("requires no sign-in of a public server, although its settings name OAuth", async () => {
  const server = await startServer({ protectedMethods: [] });
  server.behaviour.metadataIssuer = "https://elsewhere.example";
  const { connections } = openBench();
  connections.apply(remote("files", server.url, { auth: OAUTH }));
  expect(await connections.ready("files")).toMatchObject({ status: "connected" });
  expect(await connections.startSignIn("files", CALLBACK)).toBeNull();
  expect(connections.state("files")?.status).toBe("connected");
});

it("lets a user sign in beforehand to a server that demands it for calls only", async () => {
  const server = await startServer({ protectedMethods: ["tools/call"] });
  const bench = openBench();
  bench.connections.apply(remote("files", server.url, { auth: OAUTH }));
  await bench.connections.ready("files");
  await signIn(bench);
  expect(await call(bench)).toContain("client");
});

it("registers with the new authorization server when the server moves to another one, and shows it nothing of the old", async () => {
  const server = await startServer({ protectedMethods: ["tools/call"] });
  const other = await startServer({});
  const bench = openBench();
  bench.connections.apply(remote("files", server.url, { auth: OAUTH }));
  await bench.connections.ready("files");
  await signIn(bench);
  const [before] = server.authorization.registered.keys();
  server.behaviour.movedTo = other;
  await expect(call(bench)).rejects.toMatchObject({ kind: "sign_in_needed" });
  await signIn(bench);
  expect(await call(bench)).toContain("client");
  const registered = [...other.authorization.registered.keys()];
  expect(registered).toHaveLength(1);
  expect(registered).not.toContain(before);
  expect(JSON.stringify(other.authorization.log)).not.toContain(before);
});

it("starts sign-ins from two tabs at the same time, and either can be finished", async () => {
  const server = await startServer({ protectedMethods: ["tools/call"] });
  const bench = openBench();
  bench.connections.apply(remote("files", server.url, { auth: OAUTH }));
  await expect(call(bench)).rejects.toMatchObject({ kind: "sign_in_needed" });
  const start = () => bench.connections.startSignIn("files", CALLBACK);
  const [first, second] = await Promise.all([start(), start()]);
  for (const address of [first, second]) expect(address).toContain("code_challenge");
  const response = await fetch(first ?? "", { redirect: "manual" });
  const params = new URL(response.headers.get("location") ?? "").searchParams;
  expect(await bench.connections.finishSignIn(params)).toMatchObject({ server: "files" });
  expect(await call(bench)).toContain("client");
});
