import { expect, it } from "vitest";
import { hideAssertion } from "./hide-assertion";
import { endAtRefusal } from "./workload-identity";

const answering = (status: number) =>
  hideAssertion(async (_url, init) => {
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
  const refused = await hideAssertion(refusing(status))("https://a.example/token", { method: "POST", body });
  expect(refused.status).toBe(status);
  expect(await refused.text()).not.toContain("aaa.bbb.ccc");
});

it("leaves an answer without a body as it is", async () => {
  const answer = hideAssertion(async () => new Response(null, { status: 304 }));
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
