import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import type { ConnectionSettings } from "../../../engine/mcp-ports";
import { createForwarding } from "../../../platform/coordination/forwarding";
import {
  openInstances,
  type TestInstance,
} from "../../../platform/coordination/postgres/coordination-copies.test-support";
import { HAS_POSTGRES } from "../../../platform/db/postgres/scratch-postgres.test-support";
import { type Bench, buildContext, isAlive, openBench, readText, script } from "../connections.test-support";
import { createSingleServers } from "./single-servers";

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

interface ServingInstance extends Bench {
  copy: TestInstance;
  /** Cuts its connections and takes no new ones, and the others have found it lost. */
  lose(): Promise<void>;
}

describe.skipIf(!HAS_POSTGRES)("a stdio server with `single`, on several instances", () => {
  async function start(count: number, settings: ConnectionSettings): Promise<ServingInstance[]> {
    const { copies, url } = await openInstances(count);
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    onTestFinished(() => database.end());
    const serving: ServingInstance[] = [];
    for (const copy of copies) {
      const forwarding = createForwarding(copy.copies, "a key of all copies", Date.now);
      const single = createSingleServers({ locks: copy.locks, bulletin: copy.bulletin, forwarding, logger: QUIET });
      const server = createServer((request, response) => void single.handle(request, response));
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const stop = async (): Promise<void> => {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      };
      onTestFinished(stop);
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { id } = copy.copies.self;
      await database.query('UPDATE "Copy" SET "address" = $2 WHERE "id" = $1', [id, address]);
      const bench = openBench({ single });
      serving.push({
        ...bench,
        copy,
        async lose() {
          await stop();
          await database.query('UPDATE "Copy" SET "endedAt" = clock_timestamp() WHERE "id" = $1', [id]);
        },
      });
    }
    const areKnown = (): boolean =>
      copies.every(({ copies: known }) => known.list().filter(({ address }) => address !== null).length >= count - 1);
    await waitUntil(areKnown, { what: "the addresses" });
    for (const { connections } of serving) connections.apply(settings);
    return serving;
  }

  const getPids = (copies: readonly ServingInstance[], server: string) =>
    copies.map(({ connections }) => connections.state(server)?.pid ?? null);
  async function awaitConnected(copies: readonly ServingInstance[], server: string): Promise<number> {
    await waitUntil(() => new Set(getPids(copies, server)).size === 1 && getPids(copies, server)[0] !== null, {
      what: "one process",
    });
    return getPids(copies, server)[0] as number;
  }
  /** The instance that runs the process first. */
  const sortByRole = (copies: readonly ServingInstance[]): ServingInstance[] => {
    const isOwner = ({ lines }: ServingInstance): boolean =>
      lines.some(({ line }) => line.text.startsWith("Connected"));
    return [...copies.filter(isOwner), ...copies.filter((copy) => !isOwner(copy))];
  };

  it("is one process, and every instance has its state, its tools and its results", async () => {
    const copies = await start(3, script("echo", { single: true }));
    await awaitConnected(copies, "echo");
    for (const { connections, lists } of copies) {
      expect(await connections.ready("echo")).toMatchObject({ status: "connected", peer: { name: "echo" } });
      expect(lists.at(-1)?.tools.length).toBeGreaterThan(3);
      const sent = { text: "häll\n", big: 12345678901 };
      const result = await connections.call("echo", "echo", sent, buildContext());
      expect(JSON.parse(readText(result))).toEqual(sent);
      expect((await connections.call("echo", "refuse", {}, buildContext())).isError).toBe(true);
      await expect(connections.call("echo", "no_such_tool", {}, buildContext())).rejects.toMatchObject({
        name: "ToolFailure",
        kind: "tool_error",
      });
    }
    const alone = copies.filter(({ lines }) => lines.some(({ line }) => line.text.startsWith("Connected")));
    expect(alone).toHaveLength(1);
  });

  it("tells a call at another instance of log lines, asks its caller, and is cancelled by it", async () => {
    const copies = await start(2, script("asking", { single: true }));
    await awaitConnected(copies, "asking");
    const [, other] = sortByRole(copies) as [ServingInstance, ServingInstance];
    const asked: unknown[] = [];
    const context = buildContext({
      source: "gateway",
      interact: async (request) => {
        asked.push(request);
        return request.kind === "roots"
          ? { action: "accept", content: { roots: [{ uri: "file:///srv/a" }] } }
          : { action: "accept", content: { age: 7 } };
      },
    });
    const form = await other.connections.call("asking", "form", {}, context);
    expect(JSON.parse(readText(form))).toMatchObject({ result: { action: "accept", content: { age: 7 } } });
    expect(asked).toMatchObject([{ kind: "form", message: "How old?" }]);
    expect([context.holds, context.released]).toEqual([1, 1]);
    const roots = await other.connections.call("asking", "roots", {}, context);
    expect(readText(roots)).toContain("file:///srv/a");
    // One that waits for an answer, and one whose caller cannot answer.
    const leaving = new AbortController();
    let isAsked = false;
    const waiting = other.connections.call(
      "asking",
      "form",
      {},
      buildContext({
        signal: leaving.signal,
        source: "gateway",
        interact: (_request, signal) =>
          new Promise((_resolve, reject) => {
            isAsked = true;
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
      }),
    );
    await waitUntil(() => isAsked, { what: "the question" });
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ kind: "cancelled" });
    const refused = await other.connections.call("asking", "form", {}, buildContext({ source: "gateway" }));
    expect(readText(refused)).toContain("-32601");
  });

  it("offers resources, prompts and subscriptions at every instance, and keeps subscriptions when another instance takes over", async () => {
    const copies = await start(2, script("offering", { single: true }));
    await awaitConnected(copies, "offering");
    const [owner, other] = sortByRole(copies) as [ServingInstance, ServingInstance];
    expect(other.connections.capabilities("offering")).toMatchObject({ resources: { subscribe: true } });
    const read = await other.connections.content("offering", (content) =>
      content.request("resources/read", { uri: "left://only" }, buildContext()),
    );
    expect(JSON.stringify(read)).toContain("only here");
    const listed = await other.connections.content("offering", (content) => content.list("resources"));
    expect(listed.length).toBeGreaterThan(1);
    await other.connections.content("offering", (content) => content.subscribe("left://only"));
    const touch = () => other.connections.call("offering", "touch", { uri: "left://only" }, buildContext());
    await touch();
    const updates = () => other.changes.filter(({ change }) => change.type === "updated").length;
    await waitUntil(() => updates() > 0, { what: "the update" });
    await owner.lose();
    await waitUntil(() => other.lines.some(({ line }) => line.text.startsWith("Connected")), { what: "the takeover" });
    await other.connections.ready("offering");
    const before = updates();
    await waitUntil(async () => readText(await touch()).includes("left://only") && updates() > before, {
      what: "the subscription at the new process",
    });
  });

  it("starts at another instance when its instance is lost; a call that ran there fails, and the next ones run at the new process", async () => {
    const copies = await start(3, script("asking", { single: true }));
    const pid = await awaitConnected(copies, "asking");
    const [owner, other, third] = sortByRole(copies) as [ServingInstance, ServingInstance, ServingInstance];
    let isAsked = false;
    const context = buildContext({
      source: "gateway",
      interact: () => {
        isAsked = true;
        return new Promise(() => {});
      },
    });
    const running = other.connections.call("asking", "form", {}, context).catch((error: unknown) => error);
    await waitUntil(() => isAsked, { what: "the running call" });
    await owner.lose();
    expect(await running).toMatchObject({ name: "ToolFailure", kind: "unavailable" });
    // A call on the way to the lost instance may have begun there.
    await waitUntil(() => getPids([third], "asking")[0] !== pid, { what: "the loss, at the third copy" });
    const next = await third.connections.call("asking", "capabilities", {}, buildContext());
    expect(JSON.parse(readText(next))).toHaveProperty("roots");
    const left = await awaitConnected([other, third], "asking");
    expect(left).not.toBe(pid);
    await waitUntil(() => !isAlive(pid), { what: "the end of the former process" });
  });

  it("follows its settings: disabled everywhere, then a process of each instance, then removed", async () => {
    const settings = script("echo", { single: true });
    const copies = await start(2, settings);
    const pid = await awaitConnected(copies, "echo");
    for (const { connections } of copies) connections.apply({ ...settings, enabled: false });
    expect(copies.map(({ connections }) => connections.state("echo")?.status)).toEqual(["disabled", "disabled"]);
    await waitUntil(() => !isAlive(pid), { what: "the end of the process" });
    for (const { connections } of copies) connections.apply({ ...settings, single: false });
    await Promise.all(copies.map(({ connections }) => connections.ready("echo")));
    await waitUntil(() => new Set(getPids(copies, "echo")).size === 2 && !getPids(copies, "echo").includes(null), {
      what: "two processes",
    });
    await Promise.all(copies.map(({ connections }) => connections.remove("echo")));
    expect(copies.map(({ connections }) => connections.state("echo"))).toEqual([null, null]);
  });
});
