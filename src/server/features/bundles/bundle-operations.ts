import { z } from "zod";
import {
  executionBundleSchema,
  MAX_BUNDLE_BYTES,
  type OpenedBundle,
  openedBundleSchema,
} from "../../../lib/contract/execution-bundle";
import { stringifyWithDigits } from "../../../lib/json/number-digits";
import { act, operations } from "../../platform/api/operation";
import { executionIdSchema } from "../../platform/api/route-inputs";
import { toDownloadHeaders } from "../../platform/shared/responses";

const text = z.string().max(MAX_BUNDLE_BYTES, "is longer than 10 MB").describe("The bundle as text");

const TOOL = {
  same: "The tool here is the one of the bundle.",
  different: "The tool here differs from the one of the bundle.",
  missing: "There is no such tool here: `toolroom import` adds the one of the bundle.",
} as const satisfies Record<OpenedBundle["tool"], string>;

/** A bundle holds arguments and results: only the id of the execution is recorded. */
export const bundleOperations = operations(
  "bundles",
  {
    /** Changes nothing, but the audit log names the user who exported data. */
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
      cli: {
        words: "bundle <id>",
        summary: "Export a call as a file that another Toolroom opens",
        details:
          "With its definition, result, error and log, and the tool or the server that it needs. It names no user, and values that are " +
          "stored masked stay masked.",
        examples: [
          ["toolroom executions bundle exec_7hJ2kQ9w > call.json", "for a colleague, or a bug report"],
          ["toolroom executions bundle exec_7hJ2kQ9w -o call.json", "the same, readable only by you"],
        ],
      },
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
      cli: {
        words: "open <file>",
        file: "text",
        summary: "Open the bundle of a call: it is recorded here, in no figure",
        details: "`toolroom import` with the same file adds its tool or its server. - reads stdin.",
        examples: [
          ["toolroom executions open call.json", "print the id that the call has here"],
          ["toolroom executions open call.json --json", "the id, and whether the tool is here, as JSON"],
        ],
        note: ({ tool }) => TOOL[tool],
        say: ({ id }) => id,
      },
    }),
  },
  { under: "executions" },
);
