import { expect, it, onTestFinished } from "vitest";
import { startHttpServers } from "../../../../../e2e/support/mcp-servers/http-servers.mjs";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { buildContext, isAlive, remote, script } from "../connections.test-support";
import { ADA, BOB, openPersonalBench } from "./personal.test-support";

const TOKEN = { personal: { slots: ["API_TOKEN"], binding: "here" } };
const ADAS = "adas-own-secret-token";
const BOBS = "bobs-own-secret-token";

/** The process that answers a user. */
const getPid = ({ connections }: ReturnType<typeof openPersonalBench>, server: string, user: string): number =>
  connections.state(server, user)?.pid ?? -1;

it("gives each user's process that user's value alone, and shows no user another one's log or messages", async () => {
  const bench = openPersonalBench();
  bench.connections.apply(script("echo", TOKEN));
  await bench.enter("echo", ADA, { API_TOKEN: ADAS });
  await bench.enter("echo", BOB, { API_TOKEN: BOBS });
  const [adas, bobs] = await Promise.all([bench.call("echo", ADA, "where"), bench.call("echo", BOB, "where")]);
  expect(adas).toContain(ADAS);
  expect(adas).not.toContain(BOBS);
  expect(bobs).toContain(BOBS);
  expect(bobs).not.toContain(ADAS);
  await bench.call("echo", ADA, "tell_secret");
  await waitUntil(() => bench.seenBy("echo", ADA.id).includes("token is [redacted]"));
  expect(bench.seenBy("echo", BOB.id)).not.toContain("token is");
  expect(bench.connections.log("echo")).toEqual([]);
  expect(bench.connections.messages("echo")).toEqual([]);
  expect(bench.lines).toEqual([]);
  const seen = [ADA.id, BOB.id, undefined].map((user) => bench.seenBy("echo", user)).join();
  expect(seen).not.toMatch(/own-secret-token/);
});

it("sends a user's header with that user's requests only, and expands no variable in it", async () => {
  const upstream = await startHttpServers();
  onTestFinished(() => upstream.close());
  const { seen } = upstream.endpoint("/mcp");
  const bench = openPersonalBench({ variables: { HOME_SECRET: "of-the-machine" } });
  const personal = { slots: ["Authorization"], binding: "here" };
  bench.connections.apply(remote("web", upstream.url("/mcp"), { personal }));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as a user may enter it
  await bench.enter("web", ADA, { Authorization: "Bearer ${HOME_SECRET}" });
  await bench.enter("web", BOB, { Authorization: `Bearer ${BOBS}` });
  const sentDuring = async (actor: typeof ADA) => {
    seen.length = 0;
    await bench.call("web", actor, "echo");
    return new Set(seen.map(({ authorization }) => authorization));
  };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as the user entered it
  expect(await sentDuring(ADA)).toEqual(new Set(["Bearer ${HOME_SECRET}"]));
  expect(await sentDuring(BOB)).toEqual(new Set([`Bearer ${BOBS}`]));
  const told = [ADA.id, BOB.id, undefined].map((user) => bench.seenBy("web", user)).join();
  expect(told).not.toContain(BOBS);
});

it("refuses a call without a credential of its user, with the page that connects, and starts nothing", async () => {
  const bench = openPersonalBench();
  bench.connections.apply(script("echo", { ...TOKEN, env: { API_TOKEN: "a shared one" } }));
  await bench.enter("echo", ADA, { API_TOKEN: ADAS });
  const refusal = {
    kind: "sign_in_needed",
    message: "Connect your account for 'echo' first: http://t.test/servers/echo",
  };
  await expect(bench.call("echo", BOB, "who")).rejects.toMatchObject(refusal);
  await bench.enter("echo", BOB, { OTHER: BOBS });
  await expect(bench.call("echo", BOB, "who")).rejects.toMatchObject(refusal);
  await bench.enter("echo", BOB, { API_TOKEN: BOBS }, "elsewhere");
  await expect(bench.call("echo", BOB, "who")).rejects.toMatchObject(refusal);
  await expect(bench.call("echo", { id: "automation", name: "Automation" }, "who")).rejects.toMatchObject({
    kind: "sign_in_needed",
    message: expect.stringContaining("this call runs for no user"),
  });
  expect(bench.states.filter(({ state }) => state.status === "connected")).toEqual([]);
  await expect(bench.connections.content("echo", (content) => content.list("resources"))).rejects.toMatchObject({
    kind: "sign_in_needed",
  });
});

it("calls of a user share one process, which closes when idle and opens again for the next call", async () => {
  const bench = openPersonalBench({ limits: { idleCloseMs: 300 } });
  bench.connections.apply(script("echo", TOKEN));
  await bench.enter("echo", ADA, { API_TOKEN: ADAS });
  await Promise.all([bench.call("echo", ADA, "who"), bench.call("echo", ADA, "who")]);
  const pid = getPid(bench, "echo", ADA.id);
  await bench.call("echo", ADA, "who");
  expect(getPid(bench, "echo", ADA.id)).toBe(pid);
  await waitUntil(() => !isAlive(pid));
  expect(bench.connections.state("echo", ADA.id)?.status).toBe("idle");
  await bench.call("echo", ADA, "who");
  expect(getPid(bench, "echo", ADA.id)).not.toBe(pid);
});

it("a changed value replaces that user's process, a removed one ends it, and others keep theirs", async () => {
  const bench = openPersonalBench();
  bench.connections.apply(script("echo", TOKEN));
  await bench.enter("echo", ADA, { API_TOKEN: ADAS });
  await bench.enter("echo", BOB, { API_TOKEN: BOBS });
  await Promise.all([bench.call("echo", ADA, "who"), bench.call("echo", BOB, "who")]);
  const adas = getPid(bench, "echo", ADA.id);
  const bobs = getPid(bench, "echo", BOB.id);
  await bench.enter("echo", ADA, { API_TOKEN: "adas-next-token" });
  expect(await bench.call("echo", ADA, "where")).toContain("adas-next-token");
  await waitUntil(() => !isAlive(adas));
  const next = getPid(bench, "echo", ADA.id);
  await bench.forget("echo", ADA);
  await waitUntil(() => !isAlive(next));
  await expect(bench.call("echo", ADA, "who")).rejects.toMatchObject({ kind: "sign_in_needed" });
  expect(isAlive(bobs)).toBe(true);
  // For another command line, for which no value was entered.
  bench.connections.apply(script("echo", { personal: { slots: ["API_TOKEN"], binding: "elsewhere" } }));
  await waitUntil(() => !isAlive(bobs));
});

it("closes the connection that was idle longest where too many are open, and refuses when all are in use", async () => {
  const bench = openPersonalBench({ limits: { maxPersonal: 1 } });
  bench.connections.apply(script("echo", TOKEN));
  bench.connections.apply(script("hanging", TOKEN));
  for (const server of ["echo", "hanging"]) await bench.enter(server, ADA, { API_TOKEN: ADAS });
  await bench.enter("echo", BOB, { API_TOKEN: BOBS });
  await bench.call("echo", ADA, "who");
  const pid = getPid(bench, "echo", ADA.id);
  await bench.call("echo", BOB, "who");
  await waitUntil(() => !isAlive(pid));
  const stop = new AbortController();
  const running = bench.connections
    .call("hanging", "hang", {}, buildContext({ actor: ADA, signal: stop.signal }))
    .catch(() => undefined);
  await expect(bench.call("echo", BOB, "who")).rejects.toMatchObject({
    kind: "unavailable",
    message: expect.stringContaining("in use"),
  });
  stop.abort();
  await running;
});

it("takes the tools of the connection opened first for everybody, and warns once where another one's differ", async () => {
  const bench = openPersonalBench();
  const server = script("changing-tools", { ...TOKEN, name: "tools" });
  bench.connections.apply(server);
  await bench.enter("tools", ADA, { API_TOKEN: ADAS });
  await bench.enter("tools", BOB, { API_TOKEN: BOBS });
  await bench.connections.reconnect("tools", ADA.id);
  const first = bench.lists.length;
  await bench.connections.reconnect("tools", BOB.id);
  expect(bench.lists.length).toBe(first);
  expect(first).toBeGreaterThan(0);
  const warnings = () => bench.connections.log("tools").map(({ text }) => text);
  expect(warnings()).toEqual([]);
  await bench.call("tools", BOB, "change");
  await waitUntil(() => warnings().length > 0);
  await bench.call("tools", BOB, "change");
  await bench.connections.reconnect("tools", BOB.id);
  expect(warnings()).toEqual([expect.stringContaining("People see different tools")]);
  expect(bench.lists.length).toBe(first);
});
