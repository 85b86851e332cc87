import { z } from "zod";
import type { Permission } from "../../../lib/contract/access";
import {
  conformancePartsSchema,
  conformanceRunDetailSchema,
  conformanceRunSchema,
  conformanceSuiteSchema,
} from "../../../lib/contract/conformance";
import { act, operations, read } from "../../platform/api/operation";
import { waitSchema } from "../../platform/api/route-inputs";

const name = z.string().min(1).max(200).describe("Of the server");
const id = z.string().min(1).max(100);
const parts = conformancePartsSchema
  .default("all")
  .describe("`own` for Toolroom's own checks, `suite` for the official suite; default: both");

/** `toolroom check --conformance` starts and follows runs. */
export const conformanceOperations = operations("conformance", {
  list: read({
    rest: "GET /servers/{name}/conformance",
    summary: "List conformance runs of a server, the last 20, newest first",
    allow: "read",
    input: z.object({ name }),
    output: z.array(conformanceRunSchema),
    run: ({ services }, input) => services.conformance.list(input.name),
  }),
  start: act({
    rest: "POST /servers/{name}/conformance",
    summary:
      "Test a server from outside: Toolroom's own checks and the scenarios of the official suite that fit it. The first run that needs the suite installs it, and needs the role admin",
    allow: "edit",
    demand: (input, { conformance }): Permission =>
      conformance.installsSuite(input.parts) === true ? "administer" : "edit",
    input: z.strictObject({ name, parts }),
    output: conformanceRunDetailSchema,
    status: 201,
    audit: {
      target: (input) => ({ kind: "server", name: input.name }),
      after: (run) => ({ run: run.id, parts: run.parts }),
    },
    run: ({ services, actor }, input) => services.conformance.start(actor, input.name, input.parts),
  }),
  get: read({
    rest: "GET /conformance-runs/{id}",
    summary: "Get a conformance run with its checks, and what differs from the run before",
    allow: "read",
    input: z.object({
      id,
      waitMs: waitSchema.describe("Milliseconds that the response may wait for the end; default 0"),
    }),
    output: conformanceRunDetailSchema,
    run: ({ services }, input) => services.conformance.get(input.id, input.waitMs),
  }),
  cancel: act({
    rest: "POST /conformance-runs/{id}/cancel",
    summary: "Cancel a conformance run",
    allow: "edit",
    input: z.object({ id }),
    output: z.object({ cancelled: z.boolean() }),
    audit: { target: (input) => ({ kind: "conformance run", name: input.id }), after: (outcome) => outcome },
    run: ({ services, actor }, input) => services.conformance.cancel(actor, input.id),
  }),
  suite: read({
    rest: "GET /conformance-suite",
    summary: "Get the official conformance suite: its version, and whether it can run here",
    allow: "read",
    output: conformanceSuiteSchema,
    run: ({ services }) => services.conformance.suite(),
  }),
});
