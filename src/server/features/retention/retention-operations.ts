import { z } from "zod";
import { retentionPolicySchema, retentionPreviewSchema, retentionStateSchema } from "../../../lib/contract/retention";
import { rowNumber } from "../../../lib/contract/row-number";
import { act, operations, read } from "../../platform/api/operation";
import { describeRetention } from "./retention-output";

const policy = retentionPolicySchema;
const target = () => ({ kind: "retention", name: "policy" });

/** `retention preview` and `set` are commands of their own: they change single rules. */
export const retentionOperations = operations(
  "retention",
  {
    get: read({
      rest: "GET /retention",
      summary: "Get the rules by which executions and runs are deleted, and the last sweeps",
      allow: "administer",
      output: retentionStateSchema,
      run: ({ services, actor }) => services.retention.get(actor),
      cli: {
        words: "show",
        summary: "Show the rules and the last sweeps",
        examples: [
          ["toolroom retention show", "as tables"],
          ["toolroom retention show --json", "as JSON"],
        ],
        print: describeRetention,
      },
    }),
    /** A mutation in tRPC, since the policy may be too long for an address. */
    preview: act({
      rest: "POST /retention/preview",
      summary: "Count what these rules would delete now",
      allow: "administer",
      input: z.object({ policy }),
      body: "policy",
      output: retentionPreviewSchema,
      audit: { unrecorded: "It changes nothing" },
      run: ({ services, actor }, input) => services.retention.preview(actor, input.policy),
    }),
    save: act({
      rest: "PUT /retention",
      summary: "Replace the rules and start a sweep. Without rules nothing is deleted",
      allow: "administer",
      input: z.object({
        policy,
        revision: z.coerce
          .number()
          .pipe(rowNumber)
          .optional()
          .describe("Of the rules that the edit began with: 409 where they are others by now"),
      }),
      body: "policy",
      output: retentionStateSchema,
      audit: {
        target,
        state: async ({ retention }, _input, _result, by) => (await retention.get(by)).policy,
      },
      run: ({ services, actor }, input) => services.retention.save(actor, input.policy, input.revision),
    }),
    sweepNow: act({
      rest: "POST /retention/sweep",
      summary: "Start the next sweep now",
      allow: "administer",
      audit: { target, after: () => ({ started: true }) },
      run: ({ services, actor }) => services.retention.sweepNow(actor),
      cli: {
        words: "run",
        summary: "Start a sweep by the saved rules now",
        examples: [
          ["toolroom retention run", "a sweep runs automatically every hour"],
          ["toolroom retention run --toolroom https://tools.example.com", "of another Toolroom"],
        ],
        say: () => "Started. See: toolroom retention show",
      },
    }),
  },
  {
    summary: "Show, preview and set the rules by which calls and runs are deleted",
    examples: ["toolroom retention show", "toolroom retention preview other --days 90"],
  },
);
