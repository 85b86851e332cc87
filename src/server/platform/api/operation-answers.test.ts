import { expect, it } from "vitest";
import { z } from "zod";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { act, operations, read, reporting } from "./operation";
import { toRoutes } from "./operation-routes";
import type { ApiContext, RouteInput } from "./route";
import { toRouter } from "./trpc";

const audit = { unrecorded: "It changes nothing" };
const things = operations("things", {
  compare: reporting(
    z.number(),
    act({
      rest: "POST /things/compare",
      summary: "Compare",
      allow: "read",
      output: z.string(),
      audit,
      run({ report }) {
        report?.(1);
        return "done";
      },
    }),
  ),
  list: read({
    rest: "GET /things",
    summary: "List",
    allow: "read",
    output: z.object({ items: z.array(z.string()), problems: z.array(z.string()) }),
    answeredAs: { output: z.object({ items: z.array(z.string()) }), toAnswer: ({ items }) => ({ items }) },
    run: () => ({ items: ["one"], problems: ["broken"] }),
  }),
  delete: act({
    rest: "DELETE /things/{id}",
    summary: "Delete",
    allow: "read",
    input: z.object({ id: z.string() }),
    output: z.object({ id: z.string() }),
    status: 204,
    audit,
    run: (_, { id }) => ({ id }),
  }),
});

const services = { acting: { audit: { record: async () => undefined }, answered: (work: () => unknown) => work() } };
const context = { actor: LOCAL_PRINCIPAL, services, recheck: async () => LOCAL_PRINCIPAL } as unknown as ApiContext;
const caller = () => toRouter(things).createCaller({ ...context, refusal: null } as never);
const given = {
  param: () => "thing_1",
  query: {},
  body: {},
  request: new Request("http://127.0.0.1/"),
} as unknown as RouteInput<unknown, unknown>;
const routes = new Map(toRoutes(things).map((route) => [`${route.method} ${route.path}`, route]));

it("an operation that reports its progress gives a stream to the console and its result alone to programs", async () => {
  const parts: unknown[] = [];
  for await (const part of await caller().compare()) parts.push(part);
  expect(parts).toEqual([{ result: "done" }]);
  expect(await routes.get("POST /things/compare")?.answer(context, given)).toBe("done");
});

it("an answer has the form that its schema in the document describes, where the console gets another one", async () => {
  expect(await caller().list()).toEqual({ items: ["one"], problems: ["broken"] });
  const route = routes.get("GET /things");
  expect(await route?.answer(context, given)).toEqual({ items: ["one"] });
  expect(route?.response).toBe(things.each.list.answeredAs?.output);
});

it("what only the console gets is no content in REST", async () => {
  expect(await caller().delete({ id: "thing_1" })).toEqual({ id: "thing_1" });
  const route = routes.get("DELETE /things/{id}");
  expect(route?.response).toBeUndefined();
  expect(await route?.answer(context, given)).toBeUndefined();
});
