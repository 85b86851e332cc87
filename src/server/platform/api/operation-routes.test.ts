import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LOCAL_PRINCIPAL, type Role } from "../../../lib/contract/access";
import { act, operations, read } from "./operation";
import { toFormerRoutes, toRoutes } from "./operation-routes";
import type { ApiContext, RouteInput } from "./route";

const remove = act({
  rest: "DELETE /things/{name}",
  summary: "Delete a thing",
  allow: "edit",
  input: z.object({ name: z.string() }),
  output: z.object({ aborted: z.boolean() }),
  status: 204,
  audit: { unrecorded: "It is a test", target: (input) => ({ kind: "thing", name: input.name }) },
  run: async ({ signal }) => {
    signals.push(signal);
    return { aborted: signal?.aborted === true };
  },
});
const signals: unknown[] = [];
const [route] = toRoutes(operations("things", { remove }));

async function answer(role: Role) {
  const entries: object[] = [];
  const acting = {
    audit: { record: async (entry: object) => void entries.push(entry) },
    answered: (work: () => unknown) => work(),
  };
  const actor = { ...LOCAL_PRINCIPAL, role };
  const context = { actor, services: { acting }, source: "api" } as unknown as ApiContext;
  const request = new Request("http://127.0.0.1/", { method: "DELETE" });
  const given = { param: () => "old", query: {}, body: {}, matchEdit: () => undefined, request };
  const asked = Promise.resolve(route?.answer(context, given as unknown as RouteInput<unknown, unknown>));
  return { request, entries, result: await asked.catch((error: unknown) => error) };
}

describe("the route of an operation", () => {
  it("passes on that the caller no longer waits", async () => {
    const { request } = await answer("editor");
    expect(signals.at(-1)).toBe(request.signal);
  });

  it("records whom a denied attempt was about, also of what leaves no entry when it is done", async () => {
    expect((await answer("editor")).entries).toEqual([]);
    const { result, entries } = await answer("viewer");
    expect(result).toMatchObject({ code: "DENIED" });
    expect(entries).toEqual([expect.objectContaining({ outcome: "denied", target: { kind: "thing", name: "old" } })]);
  });
});

describe("a route of the version before", () => {
  const list = read({
    rest: "GET /things",
    formerly: [
      {
        rest: "GET /gadgets",
        since: "2026-11-30",
        with: { kind: ["gadget"] },
        toAnswer: (things) => things.map((name) => ({ name })),
      },
    ],
    summary: "List the things",
    allow: "read",
    input: z.object({ kind: z.array(z.string()).optional(), q: z.string().optional() }),
    output: z.array(z.string()),
    run: (_, { kind = [], q = "" }) => [...kind, q],
  });
  const [former] = toFormerRoutes(operations("things", { list }));

  it("performs its operation with what the route stood for, in the earlier form, and names its successor", async () => {
    expect(former).toMatchObject({
      method: "GET",
      path: "/gadgets",
      permission: "read",
      successor: { rest: "GET /things", since: "2026-11-30" },
    });
    // What the route stood for is no field that a request may set.
    expect(Object.keys(former?.query?.shape ?? {})).toEqual(["q"]);
    const context = { actor: LOCAL_PRINCIPAL, services: { acting: {} }, source: "api" } as unknown as ApiContext;
    const request = new Request("http://127.0.0.1/");
    const given = { param: () => "", query: { q: "x" }, body: {}, matchEdit: () => undefined, request };
    const sent = given as unknown as RouteInput<unknown, unknown>;
    expect(await former?.answer(context, sent)).toEqual({ items: [{ name: "gadget" }, { name: "x" }] });
  });
});
