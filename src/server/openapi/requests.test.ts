import { describe, expect, it } from "vitest";
import { apiSettings, buildDocument, connectApi, startStub } from "./openapi.test-support";

type Json = Record<string, unknown>;

/** Returns the request of one call. */
async function sent(path: string, operation: Json, args: Json, method = "get") {
  const { requests, origin } = await startStub();
  const document = buildDocument({ [path]: { [method]: { operationId: "it", ...operation } } });
  const { call } = await connectApi(apiSettings(document, `${origin}/v1`));
  await call("it", args);
  const [request] = requests;
  if (request === undefined) throw new Error("nothing was sent");
  return request;
}

const list = ["a b", "c/d"];
const record = { x: 1, y: "ü" };

describe("the parameters of a request", () => {
  it.each([
    ["form, exploded", {}, list, "p=a%20b&p=c%2Fd"],
    ["form", { explode: false }, list, "p=a%20b%2Cc%2Fd"],
    ["spaceDelimited", { style: "spaceDelimited", explode: false }, list, "p=a%20b%20c%2Fd"],
    ["pipeDelimited", { style: "pipeDelimited", explode: false }, list, "p=a%20b%7Cc%2Fd"],
    ["form, exploded object", {}, record, "x=1&y=%C3%BC"],
    ["form object", { explode: false }, record, "p=x%2C1%2Cy%2C%C3%BC"],
    ["deepObject", { style: "deepObject" }, { a: { b: [1, 2] } }, "p%5Ba%5D%5Bb%5D%5B0%5D=1&p%5Ba%5D%5Bb%5D%5B1%5D=2"],
    ["allowReserved", { allowReserved: true }, "a/b?c=&d", "p=a/b?c%3D%26d"],
    ["JSON", { content: { "application/json": { schema: {} } } }, { a: 1 }, "p=%7B%22a%22%3A1%7D"],
    ["boolean", {}, false, "p=false"],
  ])("stand in the query by style: %s", async (_, style, value, query) => {
    const { url } = await sent("/q", { parameters: [{ name: "p", in: "query", ...style }] }, { p: value });
    expect(url).toBe(`/v1/q?${query}`);
  });

  it.each([
    ["simple", {}, list, "a%20b,c%2Fd"],
    ["simple object", {}, record, "x,1,y,%C3%BC"],
    ["simple, exploded object", { explode: true }, record, "x=1,y=%C3%BC"],
    ["label", { style: "label", explode: true }, list, ".a%20b.c%2Fd"],
    ["matrix", { style: "matrix" }, list, ";p=a%20b,c%2Fd"],
    ["matrix, exploded", { style: "matrix", explode: true }, list, ";p=a%20b;p=c%2Fd"],
    ["text with a slash and dots", {}, "../a?b#c", "..%2Fa%3Fb%23c"],
  ])("stand in the path by style: %s", async (_, style, value, text) => {
    const parameters = [{ name: "p", in: "path", required: true, ...style }];
    expect((await sent("/s/{p}/end", { parameters }, { p: value })).url).toBe(`/v1/s/${text}/end`);
  });

  it("stand in a query that is part of the path; a fragment is not sent", async () => {
    const both = ["a", "b"].map((name) => ({ name, in: "path", required: true }));
    const page = { name: "page", in: "query" };
    const url = async (path: string, parameters: Json[], args: Json) => (await sent(path, { parameters }, args)).url;
    expect(await url("/x#copy", [], {})).toBe("/v1/x");
    expect(await url("/x/{a}?v=2&b={b}#c", both, { a: "1", b: "m n" })).toBe("/v1/x/1?v=2&b=m%20n");
    expect(await url("/x?page={page}&v=2", [page], { page: 3 })).toBe("/v1/x?v=2&page=3");
    expect(await url("/x?page={page}&v=2", [page], {})).toBe("/v1/x?v=2");
  });

  it("stand in headers and cookies", async () => {
    const parameters = [
      { name: "X-List", in: "header" },
      { name: "X-Object", in: "header", explode: true },
      { name: "session", in: "cookie" },
    ];
    const { headers } = await sent("/h", { parameters }, { "X-List": [1, 2], "X-Object": { a: 1 }, session: "a;b" });
    expect(headers).toMatchObject({ "x-list": "1,2", "x-object": "a=1", cookie: "session=a%3Bb" });
  });

  it.each(["", ".", "..", "%2e%2E"])("never lead to another path: %j is refused", async (value) => {
    const { requests, origin } = await startStub();
    const parameters = [{ name: "p", in: "path", required: true, style: "simple" }];
    const { call } = await connectApi(
      apiSettings(buildDocument({ "/a/{p}": { delete: { operationId: "it", parameters } } }), origin),
    );
    const outcome = call("it", { p: value });
    if (value.startsWith("%")) {
      await outcome;
      expect(requests[0]?.url).toBe("/a/%252e%252E");
    } else {
      await expect(outcome).rejects.toMatchObject({ kind: "invalid_arguments" });
      expect(requests).toEqual([]);
    }
  });

  it("cannot break out of a header", async () => {
    const attempt = sent("/h", { parameters: [{ name: "X-A", in: "header" }] }, { "X-A": "a\r\nX-B: c" });
    await expect(attempt).rejects.toThrow("'X-A' must be one line");
  });
});

describe("the body of a request", () => {
  const body = (type: string, schema: unknown, more = {}) => ({
    requestBody: { required: true, content: { [type]: { schema, ...more } } },
  });
  const properties = (...names: string[]) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, {}])),
  });

  it("is JSON of the flattened arguments, or of 'body'", async () => {
    const flat = await sent("/b", body("application/json", properties("a", "b")), { a: 1, b: [2] }, "post");
    expect(flat).toMatchObject({ body: '{"a":1,"b":[2]}', headers: { "content-type": "application/json" } });
    const whole = await sent("/b", body("application/vnd.api+json", { type: "array" }), { body: [1] }, "post");
    expect(whole).toMatchObject({ body: "[1]", headers: { "content-type": "application/vnd.api+json" } });
  });

  it("is a form whose nested values are in brackets, or as the document's encoding says", async () => {
    const operation = body("application/x-www-form-urlencoded", properties("a", "items", "tags", "csv", "json"), {
      encoding: { csv: { explode: false }, json: { contentType: "application/json" } },
    });
    const args = { a: "x y", items: [{ price: 1 }], tags: ["a", "b"], csv: [1, 2], json: { k: 1 } };
    const { body: text } = await sent("/f", operation, args, "post");
    expect(decodeURIComponent(text)).toBe('a=x y&items[0][price]=1&tags=a&tags=b&csv=1,2&json={"k":1}');
  });

  it("is multipart with files from Base64", async () => {
    const schema = {
      type: "object",
      properties: { note: {}, meta: { type: "object" }, file: { type: "string", format: "binary" } },
    };
    const args = { note: "n", meta: { a: 1 }, file: Buffer.from([0, 255]).toString("base64") };
    const { headers, body: text } = await sent("/m", body("multipart/form-data", schema), args, "post");
    const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(headers["content-type"] ?? "")?.[1];
    expect(text.split(`--${boundary}`).map((part) => part.replace(/\r\n/g, "|"))).toEqual([
      "",
      '|Content-Disposition: form-data; name="note"||n|',
      '|Content-Disposition: form-data; name="meta"|Content-Type: application/json||{"a":1}|',
      '|Content-Disposition: form-data; name="file"; filename="file"|Content-Type: application/octet-stream||\u0000\u00ff|',
      "--|",
    ]);
  });

  const binary = { type: "string", format: "binary" };
  const file = { type: "object", required: ["files"], properties: { files: { type: "array", items: binary } } };
  const orNull = (schema: unknown) => ({ anyOf: [schema, { type: "null" }] });
  const nullable = { type: "object", properties: { files: orNull({ type: "array", items: orNull(binary) }) } };
  it.each([
    ["a list of files", true, file, (files: unknown) => ({ files })],
    ["an optional body that requires files", false, file, (files: unknown) => ({ body: { files } })],
    ["a composed body", true, { allOf: [file] }, (files: unknown) => ({ body: { files } })],
    ["a nullable list of nullable files", true, nullable, (files: unknown) => ({ files })],
  ])("is multipart with files from Base64 in %s", async (_, required, schema, toArgs) => {
    const requestBody = {
      required,
      content: { "multipart/form-data": { schema, encoding: { files: { contentType: "image/*" } } } },
    };
    const args = toArgs([Buffer.from([0, 255]).toString("base64")]);
    const { body: text } = await sent("/m", { requestBody }, args, "post");
    expect(text.split("\r\n").slice(1, 5)).toEqual([
      'Content-Disposition: form-data; name="files"; filename="files"',
      "Content-Type: application/octet-stream",
      "",
      "\u0000\u00ff",
    ]);
  });

  it("is text or bytes where the document says so", async () => {
    const text = await sent("/t", body("text/plain", { type: "string" }), { body: "hello" }, "put");
    expect(text).toMatchObject({ body: "hello", headers: { "content-type": "text/plain" } });
    const bytes = await sent("/t", body("image/png", { type: "string", format: "binary" }), { body: "AP8=" }, "put");
    expect(bytes.body).toBe("\u0000\u00ff");
    for (const schema of [
      { type: "string", format: "byte" },
      { type: "string", contentEncoding: "base64" },
    ]) {
      expect((await sent("/t", body("image/png", schema), { body: "AP8=" }, "put")).body).toBe("AP8=");
    }
    const part = { type: "string", contentMediaType: "image/png", contentEncoding: "base64" };
    const multipart = body("multipart/form-data", { type: "object", properties: { part } });
    expect((await sent("/t", multipart, { part: "AP8=" }, "put")).body).toContain('name="part"\r\n\r\nAP8=\r\n');
    const bad = sent("/t", body("image/png", {}), { body: "not base64!" }, "put");
    await expect(bad).rejects.toThrow("'body' must be Base64");
  });
});
