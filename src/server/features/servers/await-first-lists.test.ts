import { expect, it } from "vitest";
import type { ConnectionState } from "../../../lib/contract/connection-state";
import { DISABLED_CONNECTION, serverSettingsSchema } from "../../../lib/contract/server";
import { createFirstListsWait } from "./await-first-lists";
import { type KnownServer, newServer } from "./server-directory";

function start(limitMs: number) {
  const servers = new Map<string, KnownServer>();
  const status = new Map<string, "connecting" | "connected" | "disconnected">();
  const asked: string[] = [];
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
    limitMs,
  });
  return { add, wait, asked, connect: () => connect() };
}

it("a first list waits for servers that connect, and for no other one", async () => {
  const { add, wait, asked, connect } = start(60_000);
  add("late", "connecting");
  add("known", "connecting", 1);
  add("down", "disconnected");
  add("up", "connected");
  for (const name of ["known", "down", "up", "none"]) expect(wait(name)).toBeNull();
  let isOver = false;
  const all = wait(null)?.then(() => {
    isOver = true;
  });
  const own = wait("late");
  await Promise.resolve();
  expect([isOver, asked]).toEqual([false, ["late"]]);
  connect();
  await Promise.all([all, own]);
});

it("a server that hangs delays the first list by the limit, and later ones not at all", async () => {
  const { add, wait } = start(1);
  add("hanging", "connecting");
  await wait(null);
  expect(wait(null)).toBeNull();
  expect(wait("hanging")).toBeNull();
});
