import { expect, it } from "vitest";
import { isForeignMethod, listRelayedExtensions, readDeclaredExtensions } from "./mcp-extensions";

it("extensions and experimental capabilities are read as they were declared, tasks apart", () => {
  const declared = {
    extensions: { "com.example/jobs": { version: 1 }, "io.modelcontextprotocol/tasks": {} },
    experimental: { echo: {} },
  };
  expect(readDeclaredExtensions({ tools: {}, ...declared })).toEqual({
    extensions: { "com.example/jobs": { version: 1 } },
    experimental: { echo: {} },
  });
});

it("what clients would refuse the handshake for is left out", () => {
  const extensions = JSON.parse('{"a":true,"b":null,"c":[1],"__proto__":{"x":1},"d":{"fine":true}}');
  expect(readDeclaredExtensions({ extensions })).toEqual({ extensions: { d: { fine: true } } });
  for (const capabilities of [null, "x", {}, { extensions: [] }, { extensions: "x", experimental: 7 }]) {
    expect(readDeclaredExtensions(capabilities)).toEqual({});
  }
});

it("declarations are bounded in number, in their names and in size", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`x${at}`, {}]));
  expect(Object.keys(readDeclaredExtensions({ extensions: many, experimental: many }).extensions ?? {})).toHaveLength(
    50,
  );
  const large = { small: {}, large: { text: "x".repeat(100_000) }, ["n".repeat(300)]: {} };
  expect(readDeclaredExtensions({ extensions: large })).toEqual({ extensions: { small: {} } });
});

it("methods are relayed for extensions that Toolroom does not serve itself", () => {
  const served = { "io.modelcontextprotocol/ui": {}, "io.modelcontextprotocol/skills": {} };
  expect(listRelayedExtensions({ extensions: served })).toEqual([]);
  expect(listRelayedExtensions({ extensions: { ...served, x: {} }, experimental: { y: {} } })).toEqual(["x", "y"]);
});

it("the protocol's own methods are never those of an extension", () => {
  for (const method of ["tools/call", "skills/list", "sampling/createMessage", "notifications/cancelled", "ping"]) {
    expect(isForeignMethod(method)).toBe(false);
  }
  expect(isForeignMethod("x".repeat(201))).toBe(false);
  for (const method of ["skills/read", "skills/search"]) expect(isForeignMethod(method)).toBe(false);
  for (const method of ["jobs/submit", "notifications/jobs", "constructor"]) expect(isForeignMethod(method)).toBe(true);
});
