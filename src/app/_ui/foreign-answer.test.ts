import { describe, expect, it } from "vitest";
import { readForeignAnswer } from "./foreign-answer";

/** The pages of nginx 1.22, Apache 2.4, HAProxy 2.6 and Caddy 2.6. */
const answer = (
  status: number,
  headers: Record<string, string> = { "content-type": "text/html", server: "nginx/1.22.1" },
) => readForeignAnswer(new Response(status === 204 ? null : "<html>", { status, headers }), 10_500_000);

describe("a proxy's own answer", () => {
  it.each([
    [413, /413 Content Too Large.*below this request's 10 MiB: raise it to 24 MiB/],
    [502, /502 Bad Gateway.*no answer from Toolroom/],
    [503, /503 Service Unavailable.*no answer from Toolroom/],
    [504, /504 Gateway Timeout.*time limit is shorter/],
    [403, /403 Forbidden.*proxy's log/],
    // The sign-in page of a proxy that demands one.
    [200, /answered 200/],
    [521, /answered 521/],
  ])("with status %i is named as the proxy's, with the status and the limit", (status, words) => {
    expect(answer(status)?.message).toMatch(/^A proxy \(nginx\/1\.22\.1\) between this page and Toolroom/);
    expect(answer(status)?.message).toMatch(words);
    expect(answer(status)?.status).toBe(status);
  });

  it("is recognized without a body's type and without a name", () => {
    expect(answer(413, {})?.message).toMatch(/^A proxy between this page/);
    expect(answer(502, { server: "<b>evil</b>" })?.message).toMatch(/^A proxy between this page/);
  });

  it("is none where Toolroom answered", () => {
    for (const type of ["application/json", "application/json; charset=utf-8"]) {
      expect(answer(413, { "content-type": type })).toBeNull();
    }
    expect(answer(204, {})).toBeNull();
    expect(answer(500, { "content-type": "text/plain" })).toBeNull();
  });
});
