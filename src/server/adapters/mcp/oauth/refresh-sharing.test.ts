import { describe, expect, it } from "vitest";
import { createRefreshSharing } from "./refresh-sharing";

const TOKEN_URL = "https://as.example/token";

function refresh(token: string): RequestInit {
  return { method: "POST", body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: token }) };
}

function sharing() {
  const at = { now: 0, sent: 0, status: 200 };
  const fetchFn = createRefreshSharing(() => at.now)(async () => {
    at.sent += 1;
    if (at.status === 0) throw new TypeError("fetch failed");
    return new Response(`answer ${at.sent}`, { status: at.status });
  });
  return { at, fetchFn };
}

describe("shared renewal", () => {
  it("gives everybody a body of their own for one request, a little longer than it runs", async () => {
    const { at, fetchFn } = sharing();
    const answers = await Promise.all([1, 2, 3].map(async () => (await fetchFn(TOKEN_URL, refresh("r1"))).text()));
    at.now = 9_000;
    answers.push(await (await fetchFn(new URL(TOKEN_URL), refresh("r1"))).text());
    expect(answers).toEqual(Array(4).fill("answer 1"));
    at.now = 60_000;
    expect(await (await fetchFn(TOKEN_URL, refresh("r1"))).text()).toBe("answer 2");
  });

  it("keeps different tokens and servers apart, and lets all other requests pass", async () => {
    const { at, fetchFn } = sharing();
    await fetchFn(TOKEN_URL, refresh("r1"));
    await fetchFn(TOKEN_URL, refresh("r2"));
    await fetchFn("https://other.example/token", refresh("r1"));
    const code = () => ({ method: "POST", body: new URLSearchParams({ grant_type: "authorization_code" }) });
    for (const init of [undefined, { method: "POST", body: "{}" }, code(), code()]) await fetchFn(TOKEN_URL, init);
    expect(at.sent).toBe(7);
  });

  it("asks again after a refusal and after a broken line", async () => {
    const { at, fetchFn } = sharing();
    at.status = 503;
    expect((await fetchFn(TOKEN_URL, refresh("r1"))).status).toBe(503);
    at.status = 0;
    await expect(fetchFn(TOKEN_URL, refresh("r1"))).rejects.toThrow("fetch failed");
    at.status = 200;
    expect((await fetchFn(TOKEN_URL, refresh("r1"))).status).toBe(200);
    expect(at.sent).toBe(3);
  });
});
