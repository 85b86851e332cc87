import { authorize, signInOwner } from "./support/accounts";
import { expect, test } from "./support/fixtures";

test("health checks are open; metrics need a token once users have accounts", async ({ startServer }) => {
  const { url, output } = await startServer({ env: { TOOLROOM_AUTH: "on" } });
  await signInOwner(url, output);
  for (const path of ["/healthz", "/readyz"]) {
    const response = await fetch(url + path);
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ status: "ok" })]);
  }
  const refused = await fetch(`${url}/metrics`);
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
  const wrong = await fetch(`${url}/metrics`, { headers: { authorization: "Bearer tr_wrong" } });
  expect(wrong.status).toBe(401);
  const read = await fetch(`${url}/metrics`, { headers: authorize(url) });
  expect([read.status, read.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/plain")]);
  expect(await read.text()).toMatch(/^toolroom_build_info\{version="[^"]+"\} 1$/m);
  expect((await fetch(`${url}/metrics`, { method: "POST" })).status).toBe(405);
});
