import { expect, it } from "vitest";
import { RequestLimits } from "./request-limits";

it("a user who uses up the limit of an MCP client leaves other people's use of it alone", () => {
  const limits = new RequestLimits(1, () => 0);
  const token = { id: "client shared", name: "shared", scopes: [], tools: null, servers: null };
  const of = (id: string) => ({ id, name: id, role: "viewer" as const, token });
  limits.admit(of("ada"), "");
  expect(() => limits.admit(of("ada"), "")).toThrow("a token may send 1 requests");
  limits.admit(of("bob"), "");
  expect([limits.look(of("bob"), "").left, limits.look(of("cleo"), "").left]).toEqual([0, 1]);
});
