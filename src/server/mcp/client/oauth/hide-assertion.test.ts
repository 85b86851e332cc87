import { expect, it } from "vitest";
import { hideAssertion } from "./hide-assertion";

const answering = (status: number) =>
  hideAssertion(async (_url, init) => {
    const body = {
      error: "invalid_grant",
      error_description: `${new URLSearchParams(String(init?.body)).get("assertion")}!`,
    };
    return Response.json(body, { status });
  });
const body = new URLSearchParams({ assertion: "aaa.bbb.ccc" });

it("takes the assertion of a request out of its refusal, and leaves the rest as it is", async () => {
  const refused = await answering(400)("https://a.example/token", { method: "POST", body });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: "invalid_grant", error_description: "[redacted]!" },
  ]);
  const accepted = await answering(200)("https://a.example/token", { method: "POST", body });
  expect(await accepted.json()).toMatchObject({ error_description: "aaa.bbb.ccc!" });
});
