import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LiveEvent } from "@/lib/contract/live-event";
import { waitUntil } from "@/lib/wait-until.test-support";
import { createLiveSource, type LiveSource, type LiveState } from "./live-source";

type Answer = () => Response | Promise<Response>;
let answers: Answer[] = [];
let requests: (string | null)[] = [];
const closers: (() => void)[] = [];

beforeEach(() => {
  answers = [];
  requests = [];
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async (_url: string, init: RequestInit) => {
    requests.push(new Headers(init.headers).get("last-event-id"));
    const answer = answers.shift();
    if (answer === undefined) throw new TypeError("Failed to fetch");
    return await answer();
  });
});
afterEach(() => {
  for (const close of closers.splice(0)) close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A response whose parts come as given; it stays open unless it is ended. */
function stream(parts: string[], ended = false): Answer {
  return () =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(controller) {
          for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
          if (ended) controller.close();
        },
      }),
    );
}

const full: Answer = () => Response.json({ error: { code: "too_many_streams", message: "Too many" } }, { status: 503 });
const starting: Answer = () => Response.json({ error: { message: "Toolroom is starting." } }, { status: 503 });
const message = (id: string, ...events: LiveEvent[]): string => `id: ${id}\ndata: ${JSON.stringify(events)}\n\n`;

function listen(source: LiveSource = createLiveSource()) {
  const events: LiveEvent[] = [];
  const states: LiveState[] = [];
  const close = source.open({ onEvent: (event) => events.push(event), onState: (state) => states.push(state) });
  closers.push(close);
  return { source, events, states, close };
}

describe("the page's event stream", () => {
  it("EXE-06 begins with the events after the page's data was read, and goes on from the newest", async () => {
    answers = [stream([message("life:8", { type: "tools" })], true), stream([])];
    const { events } = listen(createLiveSource("life:7"));
    await waitUntil(() => expect(events).toEqual([{ type: "tools" }]));
    await vi.advanceTimersByTimeAsync(3000);
    expect(requests).toEqual(["life:7", "life:8"]);
  });

  it("EXE-06 receives every event of a message, however the bytes are split", async () => {
    const whole = `:\n\n${message("life:1", { type: "tools" }, { type: "servers", server: "é" })}`;
    answers = [stream([whole.slice(0, 9), whole.slice(9, 40), whole.slice(40)])];
    const { events, states } = listen();
    await waitUntil(() => expect(events).toEqual([{ type: "tools" }, { type: "servers", server: "é" }]));
    expect(states).toEqual(["connecting", "live"]);
  });

  it("EXE-06 comes back with its last id after the connection is lost, and after it was closed", async () => {
    answers = [stream([message("life:7", { type: "tools" })], true), stream([]), stream([])];
    const { source, states, close } = listen();
    await waitUntil(() => expect(states.at(-1)).toBe("lost"));
    await vi.advanceTimersByTimeAsync(1300);
    expect(requests).toEqual([null, "life:7"]);
    expect(states.at(-1)).toBe("live");
    close();
    listen(source);
    await waitUntil(() => expect(requests).toEqual([null, "life:7", "life:7"]));
  });

  it("EXE-06 says that the server is away while it is, and retries", async () => {
    answers = [() => Promise.reject(new TypeError("Failed to fetch")), starting, stream([])];
    const { states } = listen();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(states).toEqual(["connecting", "away", "away", "live"]);
  });

  it("EXE-06 tries again at once on request, and tells a server that is away from one that has no stream to give", async () => {
    answers = [() => Promise.reject(new TypeError("Failed to fetch")), () => Response.json({}, { status: 403 })];
    const { source, states } = listen();
    await waitUntil(() => expect(states).toEqual(["connecting", "away"]));
    source.reconnect();
    await waitUntil(() => expect(states).toEqual(["connecting", "away", "offline"]));
  });

  it("says that the session has ended where the server refuses the stream", async () => {
    answers = [() => Response.json({ error: { message: "Sign in to read live events" } }, { status: 401 })];
    const { events } = listen();
    await waitUntil(() => expect(events).toEqual([{ type: "signed_out" }]));
  });

  it("EXE-06 reads everything again at intervals while the server has no stream to spare, then is live", async () => {
    answers = [full, full, stream([message("life:9", { type: "hello" })])];
    const { events, states } = listen();
    await waitUntil(() => expect(states).toEqual(["connecting", "polling"]));
    expect(events).toEqual([{ type: "reset" }]);
    await vi.advanceTimersByTimeAsync(18_000);
    expect(events).toEqual([{ type: "reset" }, { type: "reset" }]);
    await vi.advanceTimersByTimeAsync(18_000);
    expect(states.at(-1)).toBe("live");
    expect(events.at(-1)).toEqual({ type: "hello" });
  });
});
