import { describe, expect, it } from "vitest";
import { createMutex } from "../../../platform/shared/mutex";
import { createRefreshSharing, type RenewedTokens } from "./oauth-provider";

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
    at.now = 61_000;
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

describe("renewed tokens", () => {
  /** An authorization server that rotates refresh tokens, and an MCP server that takes the access tokens that have not expired. */
  function open(stored: { tokens: RenewedTokens } = { tokens: { access_token: "a0", refresh_token: "r0" } }) {
    const at = { renewals: 0, refused: 0 };
    const expired = new Set(["Bearer a0"]);
    const server = async (url: string | URL, init?: RequestInit): Promise<Response> => {
      if (String(url) !== TOKEN_URL) {
        const sent = new Headers(init?.headers).get("authorization") ?? "";
        return new Response(null, { status: expired.has(sent) ? 401 : 200 });
      }
      const body = init?.body as URLSearchParams;
      if (body.get("refresh_token") !== `r${at.renewals}`) {
        at.refused += 1;
        return Response.json({ error: "invalid_grant" }, { status: 400 });
      }
      at.renewals += 1;
      return Response.json({ access_token: `a${at.renewals}`, refresh_token: `r${at.renewals}` });
    };
    const exclusively = createMutex();
    /** As another process: with a memory of its own. */
    const join = () => {
      const fetchFn = createRefreshSharing(() => 0)(server, {
        read: async () => stored.tokens,
        save: async (renewed) => void Object.assign(stored, { tokens: renewed }),
        exclusively,
      });
      const call = (token: string) => fetchFn("https://mcp.example", { headers: { authorization: `Bearer ${token}` } });
      const renew = async (token: string) => (await (await fetchFn(TOKEN_URL, refresh(token))).json()) as RenewedTokens;
      return { call, renew };
    };
    return { at, expired, join };
  }

  it("serve whoever comes later with the old refresh token or the new one, until a server rejects them", async () => {
    const { at, expired, join } = open();
    const { call, renew } = join();
    expect((await call("a0")).status).toBe(401);
    const renewed = { access_token: "a1", refresh_token: "r1" };
    expect(await renew("r0")).toEqual(renewed);
    // Its request was sent with `a0` and refused after the renewal was stored.
    expect([await renew("r1"), await renew("r0")]).toEqual([renewed, renewed]);
    expect(at).toEqual({ renewals: 1, refused: 0 });
    expired.add("Bearer a1");
    expect((await call("a1")).status).toBe(401);
    expect(await renew("r1")).toMatchObject({ access_token: "a2" });
  });

  it("of one process serve another one, which never sends a refresh token that was used", async () => {
    const { at, join } = open();
    const one = join();
    const two = join();
    const answers = await Promise.all([one.renew("r0"), two.renew("r0"), one.renew("r0"), two.renew("r0")]);
    expect(answers.map(({ access_token }) => access_token)).toEqual(Array(4).fill("a1"));
    expect(at).toEqual({ renewals: 1, refused: 0 });
  });
});
