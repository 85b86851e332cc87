import { describe, expect, it } from "vitest";
import { apiSettings, buildDocument, connectApi, startStub } from "./openapi.test-support";

const servers = (...urls: string[]) => ({ servers: urls.map((url) => ({ url })) });
const METHODS = ["get", "put", "post", "delete"];

/** Why each operation cannot be called: `own` are the servers of its operations, null for one without. */
async function findProblems(base: string, document: string[], own: (string[] | null)[]) {
  const paths = {
    "/a": Object.fromEntries(own.map((urls, at) => [METHODS[at], urls === null ? {} : servers(...urls)])),
  };
  const { tools } = await connectApi(apiSettings(buildDocument(paths, servers(...document)), base));
  return tools.map((tool) => (tool.toolroom_unreadable ? String(tool.toolroom_unreadable).split(":", 1)[0] : null));
}

describe("an operation with a server of its own", () => {
  it("belongs to the base URL whose host it names, whatever the document's own server is", async () => {
    expect(await findProblems("https://10.0.0.1:6443", ["//k.local"], [["https://k.local"]])).toEqual([null]);
    const both = [["https://uploads.example.com"], null];
    const document = ["https://api.example.com"];
    expect(await findProblems("https://api.example.com", document, both)).toEqual(["Its server is https", null]);
    // The way out that the message names.
    expect(await findProblems("https://uploads.example.com/", document, both)).toEqual([null, "Its server is https"]);
    // No server of the document: it stands for all of them.
    expect(await findProblems("http://127.0.0.1:4010", document, both)).toEqual([null, null]);
  });

  it("may name its server by variables, by another scheme and relative to the document", async () => {
    const document = ["https://control.{region}.example.com"];
    const own = [["https://{index}-{project}.svc.{region}.example.com"], null];
    expect(await findProblems("https://a-b.svc.us.example.com", document, own)).toEqual([null, "Its server is https"]);
    expect(await findProblems("https://control.us.example.com", document, own)).toEqual(["Its server is https", null]);
    expect(
      await findProblems("https://a.example.com", ["https://a.example.com"], [["http://A.example.com:80/"]]),
    ).toEqual([null]);
    expect(await findProblems("https://a.example.com/v1", ["/v1"], [["/v2"], [""]])).toEqual([null, null]);
  });

  it.each(["https://{upload}/api", "https://{sub}.{domain}:{port}/api", "{server}/api"])(
    "that only variables name (%s) names no other server",
    async (own) => {
      const both = [[own], null, null];
      const nulls = [null, null, null];
      expect(await findProblems("http://127.0.0.1:4010", ["https://api.example.com/2.0"], both)).toEqual(nulls);
      expect(await findProblems("https://api.example.com/2.0", ["https://api.example.com/2.0"], both)).toEqual(nulls);
    },
  );

  it.each([
    ["the path of its server", "/2.0", ["https://api.example.com/2.0"], ["https://api.example.com"], "/a"],
    [
      "what stands before the document's path",
      "/proxy/v1",
      ["https://api.example.com/v1"],
      ["https://api.example.com/v2"],
      "/proxy/v2/a",
    ],
    [
      "the base URL among several",
      "/v4",
      ["https://x.y/v4", "https://x.y/beta"],
      ["https://x.y/beta", "https://x.y/v4"],
      "/v4/a",
    ],
    ["another one of the document", "/v4", ["https://x.y/v4", "https://x.y/beta"], ["https://x.y/beta"], "/beta/a"],
    [
      "the base URL alone, of a server elsewhere",
      "/base",
      ["https://api.example.com"],
      ["https://up.example.com/x"],
      "/base/a",
    ],
    ["no path that leads out", "/base", ["/base"], ["/x/../../y/./z"], "/y/z/a"],
  ])("is called at the base URL's origin with %s", async (_, base, document, own, url) => {
    const { requests, origin } = await startStub();
    const paths = { "/a": { get: { operationId: "it", ...servers(...own) } } };
    const { call } = await connectApi(apiSettings(buildDocument(paths, servers(...document)), `${origin}${base}`));
    await call("it");
    expect(requests.map((request) => request.url)).toEqual([url]);
  });
});
