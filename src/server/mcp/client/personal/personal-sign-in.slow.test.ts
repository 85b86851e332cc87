import { expect, it, onTestFinished } from "vitest";
import { startOAuthServer } from "../../../../../e2e/support/mcp-servers/oauth-server.mjs";
import type { Actor } from "../../../../lib/contract/actor";
import type { InteractionAnswer } from "../../../../lib/contract/interaction";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import type { OpenSignInPage } from "../../../engine/mcp-ports";
import type { CallerRequest, InteractionHandler } from "../../../engine/ports";
import { buildContext, readText, remote } from "../connections.test-support";
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

it("each user signs in with an account of their own, and calls run with it or not at all", async () => {
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

/** A call whose client opens the page that it is shown, in memory. */
function openAskingBench(answer: () => Promise<InteractionAnswer>, limitMs = 10_000) {
  const closed: boolean[] = [];
  const openPage: OpenSignInPage = ({ server, user }) => ({
    url: `http://t.test/${server}/${user}`,
    limitMs,
    close: (isConnected) => void closed.push(isConnected),
  });
  const bench = openPersonalBench({}, openPage);
  const asked: CallerRequest[] = [];
  const interact: InteractionHandler = (request) => {
    asked.push(request);
    return answer();
  };
  return { bench, asked, closed, interact };
}

it("a call waits for the sign-in of its own user alone, with its time limit paused, and runs once it is done", async () => {
  const server = await openServer();
  const { bench, asked, closed, interact } = openAskingBench(async () => ({ action: "accept" }));
  bench.connections.apply(remote("files", server.url, PERSONAL));
  const context = buildContext({ actor: ADA, interact });
  const call = bench.connections.call("files", "whoami", {}, context);
  await waitUntil(() => asked.length === 1, { what: "the page" });
  expect(asked[0]).toMatchObject({ kind: "url", url: "http://t.test/files/ada" });
  expect([context.holds, context.released]).toEqual([1, 0]);
  await signIn(bench, BOB);
  expect(closed).toEqual([]);
  await signIn(bench, ADA);
  const adas = readText(await call);
  expect(adas).toBe(await bench.call("files", ADA, "whoami"));
  expect(adas).not.toBe(await bench.call("files", BOB, "whoami"));
  expect([context.holds, context.released, closed]).toEqual([1, 1, [true]]);
});

/** Of a client that does not answer. */
const NEVER = new Promise<InteractionAnswer>(() => {});

it("a call whose client does not answer is refused once its page has expired", async () => {
  const server = await openServer();
  const { bench, closed, interact } = openAskingBench(() => NEVER, 50);
  bench.connections.apply(remote("files", server.url, PERSONAL));
  const context = buildContext({ actor: ADA, interact });
  await expect(bench.connections.call("files", "whoami", {}, context)).rejects.toMatchObject({
    kind: "sign_in_needed",
    message: "Connect your account for 'files' first: http://t.test/servers/files",
  });
  expect([context.holds, context.released, closed]).toEqual([1, 1, [false]]);
});

it("a call that is cancelled ends its page", async () => {
  const server = await openServer();
  const { bench, asked, closed, interact } = openAskingBench(() => NEVER);
  bench.connections.apply(remote("files", server.url, PERSONAL));
  const controller = new AbortController();
  const context = buildContext({ actor: ADA, interact, signal: controller.signal });
  const call = bench.connections.call("files", "whoami", {}, context);
  await waitUntil(() => asked.length === 1, { what: "the page" });
  controller.abort(new Error("cancelled"));
  await expect(call).rejects.toThrow("cancelled");
  expect([context.released, closed]).toEqual([1, [false]]);
});

it("refuses a callback that another user started, and one that was used", async () => {
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

it("calls no tool without the user's sign-in where the server would let anyone call it", async () => {
  const server = await openServer({ protectedMethods: ["tools/list"] });
  const bench = openPersonalBench();
  bench.connections.apply(remote("files", server.url, PERSONAL));
  await consent(bench, ADA);
  await expect(bench.call("files", ADA, "whoami")).rejects.toMatchObject({ kind: "sign_in_needed" });
});

it("20 calls with an expired access token renew it once, also spread over time, and leave other users' sign-ins alone", async () => {
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
