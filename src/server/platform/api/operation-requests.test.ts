import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { act, operations, read } from "./operation";
import { toRoutes } from "./operation-routes";
import type { ApiContext, IdempotentId, RouteInput } from "./route";
import { readParameter } from "./schema-kind";

const log: string[] = [];
const made = new Set<string>();
const thing = z.object({ id: z.string() });
const routes = new Map(
  toRoutes(
    operations("things", {
      get: read({
        rest: "GET /things/{index}",
        summary: "Get",
        allow: "read",
        input: z.object({ index: z.number().int().min(1) }),
        output: thing,
        run: (_, { index }) => ({ id: `thing ${index + 1}` }),
      }),
      create: act({
        rest: "POST /things",
        summary: "Create",
        allow: "read",
        input: z.object({ definition: z.string().optional() }),
        texts: { definition: z.unknown().optional() },
        output: thing,
        idempotent: "run",
        findRepeated: (_, id) => (made.has(id) ? { id } : undefined),
        audit: { target: () => null },
        reply: (_, { id }) => {
          log.push("answered");
          return { id };
        },
        run({ sent }, { definition = "none" }) {
          const id = sent?.idempotency?.id ?? "new";
          log.push(`made of ${definition}`);
          if (made.has(id)) throw new Error("The id is taken");
          return { id };
        },
      }),
    }),
  ).map((route) => [`${route.method} ${route.path}`, route]),
);

const record = async ({ outcome }: { outcome: string }): Promise<void> => void log.push(outcome);
const services = { acting: { audit: { record }, answered: (work: () => unknown) => work() } };
const context = { actor: LOCAL_PRINCIPAL, services } as unknown as ApiContext;

interface Request {
  param?: string;
  body?: object;
  idempotency?: IdempotentId | null;
}

async function ask(route: string, { param = "", body = {}, idempotency = null }: Request): Promise<unknown> {
  log.length = 0;
  const request = new Request("http://127.0.0.1/");
  const given = { param: () => param, query: {}, body, request, readText: () => '{"rate":1.10}', idempotency };
  return await routes.get(route)?.answer(context, given as unknown as RouteInput<unknown, unknown>);
}

describe("a request to the REST API", () => {
  it("has integers for numbers, and other texts are refused by the schema of the field", async () => {
    expect(await ask("GET /things/{index}", { param: "41" })).toEqual({ id: "thing 42" });
    await expect(ask("GET /things/{index}", { param: "1e3" })).rejects.toMatchObject({ code: "INVALID" });
    const kinds = [z.number(), z.number().optional(), z.number().default(0), z.string(), undefined];
    expect(kinds.map((kind) => readParameter(kind, "7"))).toEqual([7, 7, 7, "7", "7"]);
  });

  it("gives a text with its digits, and none where the field was left out", async () => {
    await ask("POST /things", { body: { definition: { rate: 1.1 } } });
    expect(log[0]).toBe('made of {"rate":1.10}');
    await ask("POST /things", {});
    expect(log[0]).toBe("made of none");
  });

  it("is answered once what it did is recorded", async () => {
    expect(await ask("POST /things", {})).toEqual({ id: "new" });
    expect(log).toEqual(["made of none", "done", "answered"]);
  });

  it("that repeats its key does and records nothing again", async () => {
    const key = { id: "thing_1", repeated: true };
    expect(await ask("POST /things", { idempotency: key })).toEqual({ id: "thing_1" });
    expect(log).toContain("done");
    made.add("thing_1");
    expect(await ask("POST /things", { idempotency: key })).toEqual({ id: "thing_1" });
    expect(log).toEqual([]);
    await expect(ask("POST /things", { idempotency: { ...key, repeated: false } })).rejects.toThrow("The id is taken");
  });

  it("that repeats its key gets the result of the first one where that came in between", async () => {
    const waiting = act({
      rest: "POST /others",
      summary: "Create",
      allow: "read",
      output: thing,
      findRepeated: (_, id) => (made.has(id) ? { id } : undefined),
      audit: { unrecorded: "It changes nothing" },
      run() {
        made.add("other_1");
        throw new Error("The id is taken");
      },
    });
    const [route] = toRoutes(operations("others", { waiting }));
    const request = new Request("http://127.0.0.1/");
    const given = { param: () => "", query: {}, body: {}, request, idempotency: { id: "other_1", repeated: true } };
    expect(await route?.answer(context, given as never)).toEqual({ id: "other_1" });
  });
});
