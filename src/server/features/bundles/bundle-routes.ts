import { z } from "zod";
import { executionBundleSchema, MAX_BUNDLE_BYTES, openedBundleSchema } from "../../../lib/contract/execution-bundle";
import { stringifyWithDigits } from "../../../lib/json/number-digits";
import { defineRoute } from "../../platform/api/route";
import { executionIdSchema } from "../../platform/api/route-inputs";
import { procedure, router } from "../../platform/api/trpc";
import { toDownloadHeaders } from "../../platform/shared/responses";

const text = z.string().max(MAX_BUNDLE_BYTES, "is longer than 10 MB").describe("The bundle as text");

const exportBundle = defineRoute({
  method: "GET",
  path: "/executions/{id}/bundle",
  permission: "read",
  response: executionBundleSchema,
  summary:
    "Export an execution that has ended as a file which another Toolroom opens: with its tool or server, without secrets and users",
  async answer({ services, actor }, { param }) {
    const id = param("id");
    const bundle = await services.bundles.export(actor, id);
    const headers = toDownloadHeaders(`${id}.json`, "application/json");
    return new Response(`${stringifyWithDigits(bundle, 2)}\n`, { headers });
  },
});

const openBundle = defineRoute({
  method: "POST",
  path: "/executions/bundles",
  permission: "run",
  response: openedBundleSchema,
  summary: "Open the bundle of an execution: it is recorded here with the source `import`, and in no figure",
  body: z.strictObject({ text }),
  answer: ({ services, actor }, { body }) => services.bundles.open(actor, body.text),
});

export const BUNDLE_ROUTES = [exportBundle, openBundle];

export const bundlesRouter = router({
  // A mutation in tRPC's words, although nothing changes: the audit log has it.
  export: procedure
    .input(z.object({ id: executionIdSchema }))
    .mutation(({ ctx, input }) => ctx.services.bundles.export(ctx.actor, input.id)),
  open: procedure
    .input(z.object({ text }))
    .mutation(({ ctx, input }) => ctx.services.bundles.open(ctx.actor, input.text)),
});
