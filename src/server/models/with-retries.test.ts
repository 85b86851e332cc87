import { describe, expect, it } from "vitest";
import type { ChatResponseUpdate } from "../../lib/contract/chat";
import { ChatClientError } from "../engine/agent/chat-ports";
import { type ChatFault, type RetryPolicy, withRetries, withStreamRetries } from "./with-retries";

class Trouble extends Error {
  constructor(readonly fault: Partial<ChatFault> = {}) {
    super("trouble");
  }
}
const toFault = (error: unknown): ChatFault => ({
  error: new ChatClientError("overloaded", "busy"),
  retryable: true,
  ...(error as Trouble).fault,
});

function policy(more: Partial<RetryPolicy["options"]> = {}, signal?: AbortSignal) {
  const delays: number[] = [];
  const sleep = async (delayMs: number) => void delays.push(delayMs);
  return { delays, policy: { toFault, signal, options: { sleep, random: () => 0, ...more } } satisfies RetryPolicy };
}

describe("withRetries", () => {
  it("waits twice as long each time, at most 8 s, and throws the last fault", async () => {
    const { delays, policy: given } = policy({ maxAttempts: 7 });
    let attempts = 0;
    const answer = withRetries(async () => {
      attempts += 1;
      throw new Trouble();
    }, given);
    await expect(answer).rejects.toMatchObject({ kind: "overloaded", message: "busy" });
    expect(attempts).toBe(7);
    expect(delays).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  });

  it("shortens a pause by up to a quarter, so that clients do not come back all at once", async () => {
    const { delays, policy: given } = policy({ maxAttempts: 2, random: () => 1 });
    await expect(withRetries(() => Promise.reject(new Trouble()), given)).rejects.toThrow("busy");
    expect(delays).toEqual([375]);
  });

  it("throws at once what no retry can help, and what is a ChatClientError already", async () => {
    const { delays, policy: given } = policy();
    await expect(withRetries(() => Promise.reject(new Trouble({ retryable: false })), given)).rejects.toThrow("busy");
    const refused = new ChatClientError("bad_request", "no model");
    await expect(withRetries(() => Promise.reject(refused), given)).rejects.toBe(refused);
    expect(delays).toEqual([]);
  });

  it("ends with `aborted` when the signal aborts during the pause", async () => {
    const stop = new AbortController();
    const given: RetryPolicy = { toFault, signal: stop.signal };
    const answer = withRetries(() => {
      setImmediate(() => stop.abort());
      return Promise.reject(new Trouble({ retryAfterMs: 60_000 }));
    }, given);
    await expect(answer).rejects.toMatchObject({ kind: "aborted" });
  });
});

describe("withStreamRetries", () => {
  async function collect(stream: AsyncIterable<ChatResponseUpdate>): Promise<(ChatResponseUpdate | string)[]> {
    const updates: (ChatResponseUpdate | string)[] = [];
    try {
      for await (const update of stream) updates.push(update);
    } catch (error) {
      updates.push((error as Error).message);
    }
    return updates;
  }
  const text: ChatResponseUpdate = { type: "text", text: "Hello" };
  const thought: ChatResponseUpdate = { type: "reasoning", text: "Hm" };

  it("starts again after thoughts, and says that they are void", async () => {
    let attempts = 0;
    const stream = withStreamRetries(async function* () {
      attempts += 1;
      yield thought;
      if (attempts === 1) throw new Trouble({ retryAfterMs: 7 });
      yield text;
    }, policy().policy);
    expect(await collect(stream)).toEqual([thought, { type: "retry", reason: "busy", delayMs: 7 }, thought, text]);
  });

  it("does not start again after text", async () => {
    const { delays, policy: given } = policy();
    const stream = withStreamRetries(async function* () {
      yield text;
      throw new Trouble();
    }, given);
    expect(await collect(stream)).toEqual([text, "busy"]);
    expect(delays).toEqual([]);
  });
});
