import { expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { Actor } from "../../../../lib/contract/actor";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { remote } from "../connections.test-support";
import { ADA, BOB, openPersonalBench } from "./personal.test-support";

const CALLBACK = "http://127.0.0.1:3999/oauth/callback";
const PERSONAL = { auth: { type: "oauth" as const }, personal: { slots: [], binding: "here" } };

async function openServer(given: Parameters<typeof startOAuthServer>[0] = {}) {
  const server = await startOAuthServer(given);
  onTestFinished(() => server.close());
  return server;
}

type Bench = ReturnType<typeof openPersonalBench>;

/** Returns the authorization server's response to a user's browser. */
async function consent({ connections }: Bench, { id }: Actor): Promise<URLSearchParams> {
  const address = await connections.startSignIn("files", CALLBACK, null, id);
  const response = await fetch(address ?? "", { redirect: "manual" });
  return new URL(response.headers.get("location") ?? "").searchParams;
}

async function signIn(bench: Bench, actor: Actor): Promise<void> {
  await bench.connections.finishSignIn(await consent(bench, actor), actor.id);
  await waitUntil(() => bench.connections.state("files", actor.id)?.status === "connected");
}

it("each person signs in with an account of their own, and calls run with it or not at all", async () => {
  const server = await openServer();
  const bench = openPersonalBench();
  bench.connections.apply(remote("files", server.url, PERSONAL));
  await expect(bench.call("files", ADA, "whoami")).rejects.toMatchObject({
    kind: "sign_in_needed",
    message: "Connect your account for 'files' first: http://t.test/servers/files",
  });
  await signIn(bench, ADA);
  const adas = await bench.call("files", ADA, "whoami");
  await expect(bench.call("files", BOB, "whoami")).rejects.toMatchObject({ kind: "sign_in_needed" });
  await signIn(bench, BOB);
  expect(await bench.call("files", BOB, "whoami")).not.toBe(adas);
  expect(await bench.call("files", ADA, "whoami")).toBe(adas);
  expect(bench.seenBy("files", ADA.id)).not.toMatch(/Bearer [^[]/);
  await bench.connections.signOut("files", ADA.id);
  await expect(bench.call("files", ADA, "whoami")).rejects.toMatchObject({ kind: "sign_in_needed" });
  expect(await bench.call("files", BOB, "whoami")).toContain("client");
});

it("refuses a callback that another person started, and one that was used", async () => {
  const server = await openServer();
  const bench = openPersonalBench();
  bench.connections.apply(remote("files", server.url, PERSONAL));
  const params = await consent(bench, ADA);
  await expect(bench.connections.finishSignIn(params, BOB.id)).rejects.toMatchObject({ kind: "not_found" });
  await expect(bench.connections.finishSignIn(params)).rejects.toMatchObject({ kind: "not_found" });
  expect(await bench.connections.finishSignIn(params, ADA.id)).toMatchObject({ server: "files" });
  await expect(bench.connections.finishSignIn(params, ADA.id)).rejects.toMatchObject({ kind: "not_found" });
});

it("finishes a sign-in after its connection was closed", async () => {
  const server = await openServer();
  const bench = openPersonalBench({ limits: { idleCloseMs: 50 } });
  bench.connections.apply(remote("files", server.url, PERSONAL));
  const params = await consent(bench, ADA);
  await waitUntil(() => bench.connections.state("files", ADA.id)?.status === "idle");
  await bench.connections.finishSignIn(params, ADA.id);
  expect(await bench.call("files", ADA, "whoami")).toContain("client");
});

it("calls no tool without the person's sign-in where the server would let anyone call it", async () => {
  const server = await openServer({ protectedMethods: ["tools/list"] });
  const bench = openPersonalBench();
  bench.connections.apply(remote("files", server.url, PERSONAL));
  await consent(bench, ADA);
  await expect(bench.call("files", ADA, "whoami")).rejects.toMatchObject({ kind: "sign_in_needed" });
});

it("20 calls with an expired access token renew it once, also spread over time, and leave other people's sign-ins alone", async () => {
  const server = await openServer({ expiresInSeconds: 3600 });
  const bench = openPersonalBench();
  bench.connections.apply(remote("files", server.url, PERSONAL));
  await signIn(bench, ADA);
  await signIn(bench, BOB);
  const [first] = server.authorization.access.values();
  const renewals = () =>
    server.authorization.log.filter(({ grant }) => grant === "refresh_token").map(({ status }) => status);
  if (first !== undefined) first.expiresAt = 0;
  const before = server.mcpRequests.length;
  // A second use of a refresh token would end the sign-in, and with it these calls.
  const calls = Array.from({ length: 20 }, async (_, index) => {
    // Some are sent while others are refused or renew.
    await waitUntil(() => server.mcpRequests.length >= before + (index % 4));
    return bench.call("files", ADA, "whoami");
  });
  await Promise.all(calls);
  expect(renewals()).toEqual([200]);
  expect([...server.authorization.access.values()].some(({ family }) => family === first?.family)).toBe(true);
  expect(await bench.call("files", BOB, "whoami")).toContain("client");
  expect(renewals()).toEqual([200]);
});
