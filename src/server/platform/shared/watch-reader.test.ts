import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import { isReader, watchReader } from "./watch-reader";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ADA: Principal = { id: "ada", name: "Ada", role: "operator", token: null };
const withToken = (more: object): Principal => ({
  ...ADA,
  token: { id: "t", scopes: ["read"], tools: null, servers: null, ...more },
});

function watch(more: Partial<Parameters<typeof watchReader>[0]> = {}) {
  const listeners = new Set<(userId: string | null) => void>();
  const reader = { now: ADA as Principal | null | Error };
  const onLost = vi.fn();
  const recheck = vi.fn(async () => {
    if (reader.now instanceof Error) throw reader.now;
    return reader.now;
  });
  const stop = watchReader({
    userId: "ada",
    recheck,
    onLost,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    ...more,
  });
  const report = async (userId: string | null) => {
    for (const listener of listeners) listener(userId);
    await vi.advanceTimersByTimeAsync(0);
  };
  return { reader, onLost, recheck, stop, report, listeners };
}

describe("the watch over the reader of an open stream", () => {
  it("asks at once after a change to the reader or to anyone, and not after one to another user", async () => {
    const { reader, onLost, recheck, report } = watch();
    reader.now = null;
    await report("bob");
    expect(recheck).not.toHaveBeenCalled();
    await report("ada");
    expect(onLost).toHaveBeenCalledTimes(1);
    const second = watch();
    second.reader.now = null;
    await second.report(null);
    expect(second.onLost).toHaveBeenCalledTimes(1);
  });

  it("asks at intervals too, since a session also ends by time, and counts a refusal as an end", async () => {
    const { reader, onLost, recheck, listeners } = watch();
    await vi.advanceTimersByTimeAsync(30_000);
    expect([recheck.mock.calls.length, onLost.mock.calls.length]).toEqual([3, 0]);
    reader.now = new Error("The API token has expired");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(onLost).toHaveBeenCalledTimes(1);
    expect([vi.getTimerCount(), listeners.size], "nothing is left behind").toEqual([0, 0]);
  });

  it("reports nothing after it was ended, also where a question was open", async () => {
    const { reader, onLost, report, stop } = watch();
    reader.now = null;
    const asked = report("ada");
    stop();
    await asked;
    expect(onLost).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ["a role that may not run", { permission: "run" as const }, { ...ADA, role: "viewer" as const }, true],
    ["a token for some tools", {}, withToken({ tools: ["echo"] }), true],
    ["a token for some tools where those are admitted", { admitsLimited: true }, withToken({ tools: ["echo"] }), false],
    ["a token with the scope", {}, withToken({}), false],
  ])("checks %s by what the stream needs", async (_what, more, principal, isLost) => {
    const { reader, onLost, report } = watch(more);
    reader.now = principal;
    await report("ada");
    expect(onLost).toHaveBeenCalledTimes(isLost ? 1 : 0);
    expect(isReader(LOCAL_PRINCIPAL)).toBe(true);
  });
});
