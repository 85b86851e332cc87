import { classifyInboundRequest } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSessionCall } from "./choose-path";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "echo", arguments: { text: "a" } } };
const SESSION = { "mcp-session-id": "s" };

const inOrder = [
  CALL,
  { ...CALL, id: "text" },
  { ...CALL, params: { ...CALL.params, _meta: { progressToken: 7, "example.com/key": {} } } },
];
const values = fc.oneof(
  fc.constantFrom(null, "2.0", 1.5, -1, "", [], {}, true, 2 ** 60, { progressToken: {} }, { progressToken: 1 }),
  fc.constantFrom({ _meta: null }, { _meta: [] }, { _meta: { progressToken: "t" } }, { name: "echo" }),
  fc.constantFrom(
    { "io.modelcontextprotocol/protocolVersion": "2026-07-28" },
    { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
  ),
);
const members = fc.constantFrom("jsonrpc", "id", "method", "params", "result", "error", "_meta", "other");
const changed = fc
  .record({ base: fc.constantFrom(...inOrder), edits: fc.array(fc.tuple(members, values), { maxLength: 3 }) })
  .map(({ base, edits }) => ({ ...base, ...Object.fromEntries(edits) }));

describe("a call in a session, found without the SDK", () => {
  it.each(inOrder)("is one that is in order: %j", (message) => {
    expect(isSessionCall(message, SESSION)).toBe(true);
    expect(isSessionCall(message, { ...SESSION, "mcp-protocol-version": "2025-06-18" })).toBe(true);
  });

  it("is only what the SDK takes for a request of a session too", () => {
    let found = 0;
    fc.assert(
      fc.property(changed, (body) => {
        if (!isSessionCall(body, SESSION)) return;
        found += 1;
        expect(classifyInboundRequest({ httpMethod: "POST", body })).toMatchObject({
          kind: "legacy",
          reason: "no-claim",
        });
      }),
      { numRuns: 5000 },
    );
    expect(found).toBeGreaterThan(100);
  });

  it.each([
    ["without a session", CALL, {}],
    ["in the stateless protocol", CALL, { ...SESSION, "mcp-protocol-version": "2026-07-28" }],
    ["in a protocol that nobody knows", CALL, { ...SESSION, "mcp-protocol-version": "1" }],
    ["of another method", { ...CALL, method: "tools/list" }, SESSION],
    ["in a batch", [CALL], SESSION],
  ])("is not one %s", (_, message, headers) => {
    expect(isSessionCall(message, headers)).toBe(false);
  });
});
