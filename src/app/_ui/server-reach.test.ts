import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { getServerReach, holdRouterRequests, setServerReach } from "./server-reach";

let answers: (() => Response)[] = [];
let asked = 0;
let release = (): void => undefined;

beforeEach(() => {
  asked = 0;
  vi.useFakeTimers();
  vi.stubGlobal("window", {
    fetch: async () => {
      asked += 1;
      const answer = answers.shift();
      if (answer === undefined) throw new TypeError("Failed to fetch");
      return answer();
    },
  });
  release = holdRouterRequests();
});
afterEach(() => {
  release();
  setServerReach({ state: "here" });
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it("EXE-06 a page that is opened while the server does not answer opens once it does, and a notice says that it waits", async () => {
  answers = [() => new Response(null, { status: 503 })];
  const opened = window.fetch("/tools", { headers: { rsc: "1" } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect([asked, getServerReach().state, getServerReach().holdsPage]).toEqual([1, "lost", true]);
  answers = [() => new Response("page")];
  setServerReach({ state: "here" });
  expect(await (await opened).text()).toBe("page");
  expect(getServerReach().holdsPage).toBe(false);
});

it("other requests fail at once, and a prefetch is no page that was opened", async () => {
  await expect(window.fetch("/api/trpc/tools.list")).rejects.toThrow("Failed to fetch");
  void window.fetch("/tools", { headers: { rsc: "1", "next-router-prefetch": "1" } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(getServerReach()).toMatchObject({ state: "lost", holdsPage: false });
});
