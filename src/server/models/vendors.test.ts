import { expect, it } from "vitest";
import { MODEL_PROVIDER_KINDS } from "../../lib/contract/model";
import { createModelConnection } from "./vendors";

it("AGT-12 speaks the API of each kind of provider", async () => {
  const sent: string[] = [];
  const fetch = async (url: unknown) => {
    sent.push(new URL(String(url)).pathname);
    return new Response("{}", { status: 400 });
  };
  for (const kind of MODEL_PROVIDER_KINDS) {
    const settings = { kind, apiKey: "key-for-tests", baseUrl: "http://127.0.0.1:9" };
    const answer = createModelConnection(settings, { fetch }).getResponse([], { model: "m" });
    await answer.catch(() => null);
  }
  expect(sent).toEqual([
    "/v1/messages",
    "/v1/responses",
    "/v1/chat/completions",
    "/v1beta/models/m:generateContent",
    "/api/chat",
  ]);
});

it("makes a client without a key and without an address", () => {
  for (const kind of MODEL_PROVIDER_KINDS) {
    expect(() => createModelConnection({ kind, apiKey: null, baseUrl: null })).not.toThrow();
  }
});

it.each([
  ["", "This provider has no address. Give it its base URL"],
  ["no address?key=planted", "The base URL of this provider is not a URL. Give it its base URL"],
])("names the base URL %j as the reason of a failure", async (baseUrl, message) => {
  const client = createModelConnection({ kind: "openai-compatible", apiKey: null, baseUrl });
  await expect(client.listModels()).rejects.toMatchObject({ kind: "bad_request" });
  await expect(client.listModels()).rejects.toThrow(message);
});
