import { vi } from "vitest";

export interface SentRequest {
  url: string;
  body: Record<string, unknown>;
}

export interface FakeAnswer {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** Replaces the server of `/api/auth/*` and watches where the page goes. Undone by `vi.unstubAllGlobals` and `restoreAllMocks`. */
export function fakeAuthServer(answer: (path: string, body: Record<string, unknown>) => FakeAnswer) {
  const sent: SentRequest[] = [];
  vi.stubGlobal("fetch", async (url: string, init: { body: string }) => {
    const body = JSON.parse(init.body) as Record<string, unknown>;
    sent.push({ url, body });
    const { status, body: answered, headers } = answer(url.replace("/api/auth/", ""), body);
    if (answered === undefined) return new Response(null, { status, headers });
    return Response.json(answered, { status, headers });
  });
  const opened = vi.spyOn(window.location, "assign").mockImplementation(() => undefined);
  return { sent, opened };
}

export function refused(status: number, message: string, problems: object[] = [], headers = {}): FakeAnswer {
  return { status, body: { error: { message, problems } }, headers };
}
