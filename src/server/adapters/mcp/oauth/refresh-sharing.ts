import type { FetchLike } from "@modelcontextprotocol/client";

/** Serves callers that read the old refresh token just before the new one was stored. */
const SHARED_FOR_MS = 10_000;

interface SharedAnswer {
  answer: Promise<() => Response>;
  /** Infinity while the request is pending. */
  goodUntil: number;
}

/**
 * A `fetch` that sends the same refresh token once. Concurrent calls find their access token expired at the same time, and
 * an authorization server that rotates refresh tokens treats a second use as theft and revokes the sign-in. All other
 * requests pass through.
 * @param now monotonic milliseconds
 */
export function createRefreshSharing(now: () => number = () => performance.now()): (fetchFn: FetchLike) => FetchLike {
  const shared = new Map<string, SharedAnswer>();
  return (fetchFn) => async (url, init) => {
    const key = refreshKey(url, init);
    if (key === null) return fetchFn(url, init);
    for (const [known, { goodUntil }] of shared) if (now() > goodUntil) shared.delete(known);
    const waiting = shared.get(key);
    if (waiting !== undefined) return (await waiting.answer)();
    const entry: SharedAnswer = { answer: copies(fetchFn(url, init)), goodUntil: Number.POSITIVE_INFINITY };
    shared.set(key, entry);
    try {
      const copy = await entry.answer;
      // A refusal is not shared: the next caller sends its own request.
      entry.goodUntil = copy().ok ? now() + SHARED_FOR_MS : Number.NEGATIVE_INFINITY;
      return copy();
    } catch (error) {
      shared.delete(key);
      throw error;
    }
  };
}

function refreshKey(url: string | URL, init: RequestInit | undefined): string | null {
  const body = init?.body;
  if (init?.method !== "POST" || !(body instanceof URLSearchParams)) return null;
  return body.get("grant_type") === "refresh_token" ? `${String(url)} ${body.get("refresh_token")}` : null;
}

async function copies(pending: Promise<Response>): Promise<() => Response> {
  const response = await pending;
  const { status, statusText } = response;
  const headers = [...response.headers];
  const text = await response.text();
  return () => new Response(text, { status, statusText, headers });
}
