import { expect, it } from "vitest";
import type { ConnectionState } from "../../../lib/contract/connection-state";
import { DISABLED_CONNECTION, serverSettingsSchema } from "../../../lib/contract/server";
import { createFirstListsWait } from "./await-first-lists";
import { type KnownServer, newServer } from "./server-directory";

function start(limitMs: number) {
  const servers = new Map<string, KnownServer>();
  const status = new Map<string, "connecting" | "connected" | "disconnected">();
  const asked: string[] = [];
  let now = 0;
  let connect = (): void => undefined;
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  const add = (name: string, state: "connecting" | "connected" | "disconnected", listedAt: number | null = null) => {
    const settings = serverSettingsSchema.parse({ name, transport: "stdio", command: "x" });
    const server = newServer({ id: name, settings, secrets: {}, originPath: null, enabled: true, problem: null });
    servers.set(name, { ...server, listedAt });
    status.set(name, state);
  };
  const state = (name: string): ConnectionState => ({ ...DISABLED_CONNECTION, status: status.get(name) ?? "disabled" });
  const wait = createFirstListsWait({
    connections: {
      state,
      ready: async (name, signal) => {
        asked.push(name);
        const aborted = new Promise((resolve) => signal?.addEventListener("abort", resolve));
        await Promise.race([connected, aborted]);
        return state(name);
      },
    },
    servers,
    registered: async () => undefined,
    clock: { elapsed: () => now },
    limitMs,
  });
  const pass = (ms: number): void => {
    now += ms;
  };
  return { add, wait, asked, pass, connect: () => connect() };
}

it("a first list waits for servers that connect, and for no other one", async () => {
  const { add, wait, asked, connect } = start(60_000);
  add("late", "connecting");
  add("known", "connecting", 1);
  add("down", "disconnected");
  add("up", "connected");
  for (const name of ["known", "down", "up", "none"]) expect(wait([name], null)).toBeNull();
  let isOver = false;
  const all = wait(null, null)?.then(() => {
    isOver = true;
  });
  const own = wait(["late"], null);
  await Promise.resolve();
  expect([isOver, asked]).toEqual([false, ["late"]]);
  connect();
  await Promise.all([all, own]);
});

it("a server that hangs delays the lists of a client's limit once, counted from the first list that waited for it", async () => {
  const { add, wait, pass } = start(1);
  add("hanging", "connecting");
  await wait(null, null);
  pass(1);
  expect(wait(null, null)).toBeNull();
  expect(wait(["hanging"], null)).toBeNull();
  // Another client has more patience.
  expect(wait(["hanging"], 60_000)).not.toBeNull();
  pass(60_000);
  expect(wait(["hanging"], 60_000)).toBeNull();
});

it("a list whose client does not wait is given at once", () => {
  const { add, wait } = start(60_000);
  add("late", "connecting");
  expect(wait(null, 0)).toBeNull();
});
