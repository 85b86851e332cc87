import { readdirSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { addBasePath, OWN_SEGMENTS, readBasePath, removeBasePath } from "./base-path.mjs";

const HOST = "https://tools.example.org";

/** First segments of the addresses that the folders of `src/app` serve. */
function listAppSegments(folder = path.resolve(import.meta.dirname, "../src/app")): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("_"))
    .flatMap(({ name }) => (name.startsWith("(") ? listAppSegments(path.join(folder, name)) : name));
}

describe("the path of the public address", () => {
  it.each([
    [undefined, ""],
    ["", ""],
    [HOST, ""],
    [`${HOST}/`, ""],
    [`${HOST}/toolroom`, "/toolroom"],
    [`${HOST}:8443/toolroom/`, "/toolroom"],
    [`${HOST}/team-a/tool_room.2~x`, "/team-a/tool_room.2~x"],
    ["http://[::1]:3000/toolroom", "/toolroom"],
  ])("of %s is '%s'", (publicUrl, basePath) => {
    expect(readBasePath(publicUrl)).toBe(basePath);
  });

  it.each([
    `${HOST}/tool%20room`,
    `${HOST}/a//b`,
    `${HOST}/a"b`,
    `${HOST}/a;b`,
    `${HOST}/ü`,
    `${HOST}/a?b`,
    `${HOST}/#a`,
  ])("is refused in %s, with the setting's name", (publicUrl) => {
    expect(() => readBasePath(publicUrl)).toThrow("TOOLROOM_PUBLIC_URL");
  });

  it("is refused where Toolroom has addresses of its own", () => {
    expect(listAppSegments().filter((segment) => !OWN_SEGMENTS.includes(segment))).toEqual([]);
    for (const segment of OWN_SEGMENTS) {
      expect(() => readBasePath(`${HOST}/${segment}/toolroom`), segment).toThrow(`/${segment}. Choose another path`);
    }
  });
});

describe("the target of a request", () => {
  it.each([
    // A proxy that keeps the path.
    ["/toolroom", "/"],
    ["/toolroom/", "/"],
    ["/toolroom?a=/toolroom/", "/?a=/toolroom/"],
    ["/toolroom/tools/echo?tab=history", "/tools/echo?tab=history"],
    ["/toolroom/mcp", "/mcp"],
    ["/toolroom/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp"],
    // RFC 8414 and 9728 insert the well-known name before the path.
    ["/.well-known/oauth-authorization-server/toolroom/api/auth", "/.well-known/oauth-authorization-server/api/auth"],
    ["/.well-known/oauth-protected-resource/toolroom/mcp/files", "/.well-known/oauth-protected-resource/mcp/files"],
    ["/.well-known/oauth-protected-resource/toolroom", "/.well-known/oauth-protected-resource"],
    // A proxy that removes it, and this machine.
    ["/", "/"],
    ["/tools?x=/toolroom", "/tools?x=/toolroom"],
    ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource/mcp"],
    // Another program's.
    ["/toolroom2/tools", "/toolroom2/tools"],
    ["/toolroom%2Ftools", "/toolroom%2Ftools"],
  ])("%s is %s at the root", (target, own) => {
    expect(removeBasePath(target, "/toolroom")).toBe(own);
    expect(removeBasePath(target, "")).toBe(target);
  });
});

/** The headers of an answer as a client gets them. */
async function answerWith(answer: (response: import("node:http").ServerResponse) => void) {
  const server = createServer((_request, response) => {
    addBasePath(response, "/toolroom");
    answer(response);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const { headers } = await new Promise<import("node:http").IncomingMessage>((resolve, reject) => {
    request({ port, agent: false }, (response) => {
      response.resume();
      response.on("end", () => resolve(response));
    })
      .on("error", reject)
      .end();
  });
  server.close();
  return headers;
}

describe("the headers of an answer", () => {
  it.each([
    ["/sign-in?to=%2F", "/toolroom/sign-in?to=%2F"],
    ["/", "/toolroom/"],
    ["/toolroom/tools", "/toolroom/tools"],
    ["/toolroom2", "/toolroom/toolroom2"],
    // An MCP client's, which may be on the same host.
    ["https://tools.example.org/callback?code=1", "https://tools.example.org/callback?code=1"],
    ["//elsewhere.example/", "//elsewhere.example/"],
    ["cursor://callback", "cursor://callback"],
  ])("lead from %s to %s, however they are set", async (location, expected) => {
    const setters: ((response: import("node:http").ServerResponse) => void)[] = [
      (response) => response.writeHead(303, { location }),
      (response) => response.writeHead(303, "See Other", { Location: location }),
      (response) => response.writeHead(303, ["Location", location]),
      (response) => response.setHeader("Location", location),
    ];
    for (const set of setters) expect((await answerWith(set)).location).toBe(expected);
  });

  it("lead the same way where a redirect is repeated in Refresh", async () => {
    const headers = await answerWith((response) =>
      response.writeHead(308, { Location: "/tools", Refresh: "0;url=/tools" }),
    );
    expect([headers.location, headers.refresh]).toEqual(["/toolroom/tools", "0;url=/toolroom/tools"]);
  });

  it("keep cookies from the other programs of the host", async () => {
    const cookies = ["a=1; Path=/; HttpOnly", "b=/; path=/;Secure", "c=1; Max-Age=0; Path=/", "d=1; Path=/toolroom"];
    const headers = await answerWith((response) => response.setHeader("set-cookie", cookies));
    expect(headers["set-cookie"]).toEqual([
      "a=1; Path=/toolroom; HttpOnly",
      "b=/; Path=/toolroom;Secure",
      "c=1; Max-Age=0; Path=/toolroom",
      "d=1; Path=/toolroom",
    ]);
  });
});
