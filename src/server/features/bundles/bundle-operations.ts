import { z } from "zod";
import { executionBundleSchema, MAX_BUNDLE_BYTES, openedBundleSchema } from "../../../lib/contract/execution-bundle";
import { stringifyWithDigits } from "../../../lib/json/number-digits";
import { act, operations } from "../../platform/api/operation";
import { executionIdSchema } from "../../platform/api/route-inputs";
import { toDownloadHeaders } from "../../platform/shared/responses";

const text = z.string().max(MAX_BUNDLE_BYTES, "is longer than 10 MB").describe("The bundle as text");

/** A bundle holds arguments and results: only the id of the execution is recorded. */
export const bundleOperations = operations("bundles", {
  /** Changes nothing, but the audit log says who took data away. */
  export: act({
    rest: "GET /executions/{id}/bundle",
    summary:
      "Export an execution that has ended as a file which another Toolroom opens: with its tool or server, without secrets and users",
    allow: "read",
    input: z.object({ id: executionIdSchema }),
    output: executionBundleSchema,
    download: {
      respond: (bundle, { id }) =>
        new Response(`${stringifyWithDigits(bundle, 2)}\n`, {
          headers: toDownloadHeaders(`${id}.json`, "application/json"),
        }),
    },
    audit: { target: ({ id }) => ({ kind: "execution", name: id }) },
    run: ({ services, principal }, { id }) => services.bundles.export(principal, id),
  }),
  open: act({
    rest: "POST /executions/bundles",
    summary: "Open the bundle of an execution: it is recorded here with the source `import`, and in no figure",
    allow: "run",
    input: z.strictObject({ text }),
    output: openedBundleSchema,
    audit: {
      target: (_, outcome) => ({ kind: "execution", name: outcome?.id ?? "import" }),
      after: ({ toolName, tool }) => ({ toolName, tool }),
    },
    run: ({ services, principal }, input) => services.bundles.open(principal, input.text),
  }),
});
