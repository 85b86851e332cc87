import { expect, it } from "vitest";
import { hideSecrets } from "./hide-secrets";
import { endAtRefusal } from "./workload-identity";

const answering = (status: number) =>
  hideSecrets(async (_url, init) => {
    const sent = `${new URLSearchParams(String(init?.body)).get("assertion")}!`;
    const refusal = { error: "invalid_grant", error_description: sent };
    return Response.json(status === 200 ? { access_token: sent } : refusal, { status });
  });
const body = new URLSearchParams({ assertion: "aaa.bbb.ccc" });

it("takes the assertion of a request out of its refusal, and leaves the rest as it is", async () => {
  const refused = await answering(400)("https://a.example/token", { method: "POST", body });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: "invalid_grant", error_description: "[redacted]!" },
  ]);
  const accepted = await answering(200)("https://a.example/token", { method: "POST", body });
  expect(await accepted.json()).toEqual({ access_token: "aaa.bbb.ccc!" });
});

const refusing = (status: number) => async () =>
  Response.json({ error: "invalid_grant", error_description: "aaa.bbb.ccc is not trusted" }, { status });

it.each([200, 400, 429, 503])("takes the assertion out of a refusal with status %s", async (status) => {
  const refused = await hideSecrets(refusing(status))("https://a.example/token", { method: "POST", body });
  expect(refused.status).toBe(status);
  expect(await refused.text()).not.toContain("aaa.bbb.ccc");
});

it("leaves an answer without a body as it is", async () => {
  const answer = hideSecrets(async () => new Response(null, { status: 304 }));
  expect((await answer("https://a.example/token", { method: "POST", body })).status).toBe(304);
});

it.each([429, 503])(
  "takes the JWT of a workload out of an answer with status %s, which is tried again",
  async (status) => {
    const refused = await endAtRefusal(refusing(status))("https://a.example/token", { method: "POST", body });
    expect(refused.status).toBe(status);
    expect(await refused.text()).not.toContain("aaa.bbb.ccc");
  },
);

it("ends the sign-in of a workload that is refused with status 200", async () => {
  const jwt = `${"a".repeat(20)}.${"b".repeat(20)}.c`;
  const refuse = endAtRefusal(async () => Response.json({ error: "invalid_grant", error_description: jwt }));
  const asked = refuse("https://a.example/token", { method: "POST", body: new URLSearchParams({ assertion: jwt }) });
  await expect(asked).rejects.toThrow(/refused the token of our workload identity \(invalid_grant: \[redacted\]\)/);
});

it.each(["client_assertion", "client_secret", "refresh_token", "code", "code_verifier"])(
  "takes %s out of a refusal, and keeps its other words and headers",
  async (name) => {
    const said = { error: "invalid_client", error_description: "not-to-be-shown is wrong" };
    const fetchFn = hideSecrets(async () => Response.json(said, { status: 401, headers: { "retry-after": "3" } }));
    const sent = new URLSearchParams({ [name]: "not-to-be-shown" });
    const refused = await fetchFn("https://a.example/token", { method: "POST", body: sent });
    expect(refused.headers.get("retry-after")).toBe("3");
    expect(await refused.json()).toEqual({ error: "invalid_client", error_description: "[redacted] is wrong" });
  },
);
