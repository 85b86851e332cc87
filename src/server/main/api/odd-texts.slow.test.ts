import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { callTRPCProcedure } from "@trpc/server";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { type Container, createContainer } from "../container";
import { readEnv } from "../env";
import type { RequestContext } from "./context";
import { fillSchema, PROCEDURES, type Schema, toSchema } from "./fill-schema.test-support";
import { answerRest } from "./rest/answer-rest";
import { ROUTES } from "./rest/routes";
import { appRouter } from "./root";

/** Texts that a database, a search index or UTF-8 cannot take as they are; of each kind the first stands in each text alone, too. */
const ODD_KINDS = [
  ["a\0b", "\0", 'x" \0*'],
  ["\ud800", "a\udfffb"],
];
/** The local owner has no account. */
const SKIPPED = new Set(["people.switchOn"]);

let container: Container;
let context: RequestContext;
beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-odd-"));
  const environment = {
    DATABASE_URL: `file:${folder}/odd.db`,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
  };
  container = await createContainer(readEnv(environment));
  context = {
    actor: LOCAL_PRINCIPAL,
    refusal: null,
    sessionId: null,
    source: "api",
    services: container.services,
    recheck: async () => LOCAL_PRINCIPAL,
    stopping: container.stopping,
  };
  await container.services.executions.run(LOCAL_PRINCIPAL, { tool: "echo", argumentsText: '{"message":"hi"}' }, "api");
});
afterAll(() => container.close());

/** Inputs with all texts odd, and with each alone. */
function fillEach(schema: Schema): unknown[] {
  return ODD_KINDS.flatMap((texts) => {
    const found = new Set<string>();
    const fillAll = (odd: string) =>
      fillSchema(schema, {
        text(at) {
          found.add(at);
          return odd;
        },
      });
    const all = texts.map(fillAll);
    const text = texts[0] ?? "";
    // Optional properties that do not lead to the odd text are left out.
    const fillOne = (only: string) =>
      fillSchema(schema, { text: (at) => (at === only ? text : "x"), keeps: (at) => `${only}/`.startsWith(`${at}/`) });
    return [...all, ...[...found].map(fillOne)];
  });
}

const procedures = PROCEDURES.filter(
  ([name, { _def }]) => _def.type !== "subscription" && _def.inputs.length > 0 && !SKIPPED.has(name),
);

it("no procedure answers with an internal error to a NUL character or half a surrogate pair in any text", {
  timeout: 300_000,
}, async () => {
  const failures: string[] = [];
  for (const [name, { _def }] of procedures) {
    for (const raw of fillEach(toSchema(_def.inputs[0]))) {
      const call = { router: appRouter, path: name, getRawInput: async () => raw, ctx: context, type: _def.type };
      await callTRPCProcedure({ ...call, signal: undefined, batchIndex: 0 } as never).catch((error: Error) => {
        const { code } = error as Error & { code?: string };
        if (code === "INTERNAL_SERVER_ERROR") failures.push(`${name} ${JSON.stringify(raw)}: ${error.message}`);
      });
    }
  }
  expect(failures).toEqual([]);
  expect(procedures.length).toBeGreaterThan(50);
});

it("no REST route answers with a server error to a NUL character or half a surrogate pair in its path, query or body", {
  timeout: 300_000,
}, async () => {
  const failures: string[] = [];
  for (const { method, path: template, query, body } of ROUTES) {
    const paths = ODD_KINDS.flat().map((odd) =>
      template.replaceAll(/\{\w+\}/g, encodeURIComponent(odd.toWellFormed())),
    );
    const queries = query === undefined ? [{}] : fillEach(toSchema(query));
    const bodies = method === "GET" ? [undefined] : fillEach(toSchema(body)).map((each) => JSON.stringify(each));
    const pairs = queries.flatMap((each) => bodies.map((one) => [each, one] as const));
    for (let at = 0; at < Math.max(pairs.length, paths.length); at++) {
      const [given, text] = pairs[at % pairs.length] ?? [{}, undefined];
      const address = new URL(`/api/v1${paths[at % paths.length]}`, "http://localhost");
      for (const [name, value] of Object.entries(given as object)) address.searchParams.set(name, String(value));
      const response = await answerRest(
        new Request(address, { method, ...(text === undefined ? {} : { body: text }) }),
        {
          createContext: async () => context,
          version: "1",
          readQuota: async () => null,
          logger: {
            error: ({ stack }: { stack?: string }) => void failures.push(`${method} ${address}: ${stack}`),
            debug: () => undefined,
          },
        },
      );
      if (response.status >= 500) failures.push(`${method} ${address} ${text}: ${response.status}`);
      await response.body?.cancel();
    }
  }
  expect(failures).toEqual([]);
});
