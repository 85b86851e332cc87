import { z } from "zod";
import { accessRulesSchema, accessRulesStateSchema } from "../../../lib/contract/access-rules";
import { act, operations, read } from "../../platform/api/operation";
import { describeAccessRules } from "./access-rules-output";

/** `access set` is a command of its own: one option sets one of the rules. */
export const accessRulesOperations = operations(
  "accessRules",
  {
    get: read({
      rest: "GET /access-rules",
      summary: "Get the greatest age of API tokens, and when absent accounts are switched off",
      allow: "administer",
      output: accessRulesStateSchema,
      run: ({ services, actor }) => services.accessRules.get(actor),
      cli: {
        words: "show",
        summary: "Show the access rules",
        examples: [
          ["toolroom access show", "in words"],
          ["toolroom access show --json", "as JSON"],
        ],
        print: describeAccessRules,
      },
    }),
    save: act({
      rest: "PUT /access-rules",
      summary: "Replace the access rules. Existing tokens stay as they are",
      allow: "administer",
      input: z.object({
        rules: accessRulesSchema,
        revision: z.coerce
          .number()
          .int()
          .min(0)
          .optional()
          .describe("Of the rules that the edit began with: 409 where they are others by now"),
      }),
      body: "rules",
      output: accessRulesStateSchema,
      audit: {
        target: () => ({ kind: "setting", name: "access rules" }),
        state: async ({ accessRules }, _input, _result, by) => (await accessRules.get(by)).rules,
      },
      run: ({ services, actor }, { rules, revision }) => services.accessRules.save(actor, rules, revision),
    }),
  },
  {
    name: "access",
    summary: "Show and set the greatest age of API tokens, and when absent accounts are switched off",
    examples: ["toolroom access show", "toolroom access set --token-days 30"],
  },
);
