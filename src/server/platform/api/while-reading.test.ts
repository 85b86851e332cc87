import { once } from "node:events";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import { appRouter } from "../../main/api/root";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream with one answer, which stays open until it is ended. */
async function* answers(_id: string, _lastId: string | null, ended: AbortSignal) {
  yield { id: "1", query: "answer" };
  if (!ended.aborted) await once(ended, "abort");
}

/** A subscription to the answers of a transcript, after the first one. */
async function subscribe(recheck: () => Promise<Principal | null>) {
  const stopping = new AbortController();
  const caller = appRouter.createCaller({
    actor: LOCAL_PRINCIPAL,
    refusal: null,
    sessionId: null,
    source: "api",
    recheck,
    stopping: stopping.signal,
    services: { transcripts: { answers } } as never,
  });
  const stream = (await caller.transcripts.answers({ id: "transcript_12345678" }))[Symbol.asyncIterator]();
  expect(await stream.next()).toMatchObject({ done: false, value: ["1", "answer", expect.anything()] });
  return { stream, stopping };
}

const limits = { tools: ["echo"], servers: null, toolsets: null };
const limited = { ...LOCAL_PRINCIPAL, token: { id: "token_1", name: "ci", scopes: ["read" as const], ...limits } };

it.each([
  ["is signed out, or whose token is revoked", null],
  ["has a token that is limited to tools now", limited],
])("the answers of a transcript end with an error for a reader who %s", async (_what, later) => {
  const recheck = vi.fn(async (): Promise<Principal | null> => LOCAL_PRINCIPAL);
  const { stream } = await subscribe(recheck);
  const next = stream.next().catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(recheck).toHaveBeenCalledTimes(3);
  recheck.mockResolvedValue(later as Principal | null);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await next).toMatchObject({ code: "UNAUTHORIZED", message: "Sign in again" });
  expect(vi.getTimerCount()).toBe(0);
});

it("the answers of a transcript end without an error when the server stops", async () => {
  const { stream, stopping } = await subscribe(async () => LOCAL_PRINCIPAL);
  const next = stream.next();
  stopping.abort();
  expect(await next).toMatchObject({ done: true });
  expect(vi.getTimerCount()).toBe(0);
});
