import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LOCAL_PRINCIPAL } from "@/lib/contract/access";
import type { LiveEvent } from "@/lib/contract/live-event";
import { createHostPolicy } from "@/lib/http-guard";
import { waitUntil } from "@/lib/wait-until.test-support";
import { createEventBus, type EventBusLimits } from "@/server/platform/coordination/live-event-bus";
import { createLiveEndpoint } from "@/server/platform/events/live-endpoint";
import type { LiveState } from "./live-source";
import { createSharedLiveSource } from "./shared-live-source";

const realFetch = fetch;
const closers: (() => void)[] = [];
let readers = 0;
let page = new EventTarget();

beforeEach(() => {
  page = new EventTarget();
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A server with the product's bus and endpoint, and the windows of one browser. */
async function startBrowser(limits: Partial<EventBusLimits> = {}) {
  const hub = createEventBus("life", { batchMs: 1, ...limits });
  const access = { accounts: false, authenticate: async () => LOCAL_PRINCIPAL, enter: async () => LOCAL_PRINCIPAL };
  const endpoint = createLiveEndpoint({ hub, access, hostPolicy: createHostPolicy({ host: "127.0.0.1" }) });
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    endpoint.handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    hub.close();
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => realFetch(origin + path, init));
  readers += 1;
  const reader = `person-${readers}`;
  return { hub, server, countRequests: () => requests, openWindow: (as = reader) => openWindow(as, hub.position) };
}

function openWindow(reader: string, since: string | null) {
  const events: LiveEvent[] = [];
  const states: LiveState[] = [];
  const source = createSharedLiveSource(reader, since);
  const listener = {
    onEvent: (event: LiveEvent) => void events.push(event),
    onState: (state: LiveState) => void states.push(state),
  };
  let close = source.open(listener);
  closers.push(() => close());
  return {
    states,
    source,
    events,
    hide: () => close(),
    show: () => {
      close = source.open(listener);
    },
    /** The names of the servers that the window heard of. */
    heard: () => events.flatMap((event) => (event.type === "servers" ? [event.server] : [])),
    isReset: () => events.some(({ type }) => type === "reset"),
  };
}

type Window = ReturnType<typeof openWindow>;
type Browser = Awaited<ReturnType<typeof startBrowser>>;

const whenOneStream = ({ hub }: Browser) => waitUntil(() => expect(hub.streamCount).toBe(1));
const whenLive = (windows: Window[]) =>
  waitUntil(() => expect(windows.map(({ states }) => states.at(-1))).toEqual(windows.map(() => "live")));
const publish = ({ hub }: Browser, server: string): void => hub.publish({ type: "servers", server });

describe("the live events of several windows", () => {
  it("EXE-06 come to eight windows over one stream, each event once and in order", async () => {
    const browser = await startBrowser();
    const windows = Array.from({ length: 8 }, () => browser.openWindow());
    await whenLive(windows);
    await whenOneStream(browser);
    for (const name of ["a", "b", "c"]) publish(browser, name);
    for (const { heard } of windows) await waitUntil(() => expect(heard()).toEqual(["a", "b", "c"]));
    expect(windows.some(({ isReset }) => isReset())).toBe(false);
  });

  it("EXE-06 go on when the window that holds the stream is hidden or closed, and lose nothing", async () => {
    const browser = await startBrowser();
    const windows = [browser.openWindow(), browser.openWindow(), browser.openWindow()];
    await whenLive(windows);
    await whenOneStream(browser);
    // Whichever of them leads.
    for (const [at, window] of windows.slice(0, 2).entries()) {
      window.hide();
      publish(browser, `during ${at}`);
    }
    const last = windows[2] as Window;
    await waitUntil(() => expect(last.heard()).toEqual(["during 0", "during 1"]));
    await whenOneStream(browser);
    expect(last.states.at(-1)).toBe("live");
    publish(browser, "after");
    await waitUntil(() => expect(last.heard().at(-1)).toBe("after"));
    windows[0]?.show();
    await waitUntil(() => expect(windows[0]?.heard()).toEqual(["during 0", "during 1", "after"]));
    await whenOneStream(browser);
    expect(windows[0]?.isReset()).toBe(false);
  });

  it("EXE-06 go on when a page is left without an effect of React, by its `pagehide`", async () => {
    const browser = await startBrowser();
    browser.openWindow();
    await whenOneStream(browser);
    page.dispatchEvent(new Event("pagehide"));
    await waitUntil(() => expect(browser.hub.streamCount).toBe(0));
  });
});

describe("the live events of windows whose leader or server is in trouble", () => {
  it("EXE-06 do not wait for a leader that is silent: another window takes its stream over, from where it was", async () => {
    const browser = await startBrowser();
    const reader = "stalled";
    const leader = new BroadcastChannel(`toolroom-live-1:${reader}`);
    closers.push(() => leader.close());
    const from = "leader";
    const term = Date.now() + 60_000;
    const place = browser.hub.position;
    leader.onmessage = ({ data }: MessageEvent) => {
      if (data.type !== "join") return;
      const answer = { type: "welcome", from, term, to: data.from, number: 0, place, messages: [] };
      leader.postMessage({ ...answer, state: "live", retryAt: null });
    };
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const window = browser.openWindow(reader);
    await waitUntil(() => expect(window.states.at(-1)).toBe("live"));
    await waitUntil(() => expect(browser.hub.streamCount).toBe(0));
    leader.onmessage = null;
    publish(browser, "unheard");
    await vi.advanceTimersByTimeAsync(6_900);
    expect(browser.hub.streamCount).toBe(0);
    await vi.advanceTimersByTimeAsync(2_000);
    await waitUntil(() => expect(window.heard()).toEqual(["unheard"]));
    expect(window.states.at(-1)).toBe("live");
  });

  it("EXE-06 tell every window that the server is away, when it is back, and that the session has ended", async () => {
    const browser = await startBrowser();
    const windows = [browser.openWindow(), browser.openWindow(), browser.openWindow()];
    await whenLive(windows);
    await whenOneStream(browser);
    const { port } = browser.server.address() as AddressInfo;
    const closed = new Promise((resolve) => browser.server.close(resolve));
    browser.server.closeAllConnections();
    await closed;
    for (const { states } of windows) await waitUntil(() => expect(states.at(-1)).toMatch(/^(lost|away)$/));
    await new Promise<void>((resolve) => browser.server.listen(port, "127.0.0.1", resolve));
    const before = windows.map(({ states }) => states.length);
    for (const { source } of windows) source.reconnect();
    await whenLive(windows);
    for (const [at, { states }] of windows.entries()) expect(states.length).toBeGreaterThan(before[at] ?? 0);
    publish(browser, "back");
    for (const { heard } of windows) await waitUntil(() => expect(heard()).toEqual(["back"]));
    browser.hub.publish({ type: "signed_out" });
    for (const { events } of windows) await waitUntil(() => expect(events.at(-1)).toEqual({ type: "signed_out" }));
  });

  it("EXE-06 do not mix with those of another user, and come over an own stream where windows cannot speak to each other", async () => {
    const browser = await startBrowser();
    const windows = [browser.openWindow(), browser.openWindow("someone else")];
    await whenLive(windows);
    await waitUntil(() => expect(browser.hub.streamCount).toBe(2));
    vi.stubGlobal("BroadcastChannel", undefined);
    windows.push(browser.openWindow());
    await whenLive(windows);
    await waitUntil(() => expect(browser.hub.streamCount).toBe(3));
    publish(browser, "all");
    for (const { heard } of windows) await waitUntil(() => expect(heard()).toEqual(["all"]));
  });

  it("EXE-06 are read again by a window that comes back after more than is kept", async () => {
    const browser = await startBrowser({ keptMessages: 2 });
    const windows = [browser.openWindow(), browser.openWindow()];
    await whenLive(windows);
    await whenOneStream(browser);
    windows[1]?.hide();
    for (let at = 0; at < 600; at += 1) {
      publish(browser, String(at));
      if (at % 20 === 0) await waitUntil(() => expect(windows[0]?.heard().at(-1)).toBe(String(at)));
    }
    await waitUntil(() => expect(windows[0]?.heard().length).toBe(600));
    windows[1]?.show();
    await waitUntil(() => {
      const back = windows[1] as Window;
      expect(back.isReset() || back.heard().length === 600).toBe(true);
    });
  });
});

describe("the live events of any windows", () => {
  it("EXE-06 reach every window that is visible at the end, once and in order, whatever is opened and hidden meanwhile", async () => {
    const step = fc.oneof(
      fc.constant("publish" as const),
      fc.constant("open" as const),
      fc.record({ toggle: fc.nat(7) }),
      fc.constant("breathe" as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        const browser = await startBrowser();
        const windows: { window: Window; visible: boolean; from: number }[] = [];
        let published = 0;
        const add = () => windows.push({ window: browser.openWindow(), visible: true, from: published });
        add();
        for (const each of steps) {
          if (each === "publish") publish(browser, String(published++));
          else if (each === "open" && windows.length < 8) add();
          else if (each === "breathe") await new Promise((resolve) => setImmediate(resolve));
          else if (typeof each === "object") {
            const chosen = windows[each.toggle % windows.length];
            if (chosen === undefined) continue;
            if (chosen.visible) chosen.window.hide();
            else chosen.window.show();
            chosen.visible = !chosen.visible;
          }
        }
        const visible = windows.filter((each) => each.visible);
        publish(browser, String(published++));
        const all = Array.from({ length: published }, (_, at) => String(at));
        for (const { window, from } of visible) {
          // Also what was published and not written yet when the window opened.
          await waitUntil(() => expect(window.heard()).toEqual(all.slice(-window.heard().length)));
          expect(window.heard().length).toBeGreaterThanOrEqual(published - from);
          expect(window.isReset()).toBe(false);
        }
        await waitUntil(() => expect(browser.hub.streamCount).toBe(Math.min(1, visible.length)));
        for (const close of closers.splice(0)) close();
      }),
      { numRuns: 15 },
    );
  });
});
