import { z } from "zod";
import {
  proposedCaseSchema,
  ruleCaseInputSchema,
  ruleCaseSchema,
  ruleTestInputSchema,
  ruleTestSchema,
} from "../../../lib/contract/rule-case";
import { act, operations, read } from "../../platform/api/operation";
import { revision } from "../../platform/api/revision-input";
import { executionIdSchema } from "../../platform/api/route-inputs";

const id = z.string().min(1).max(100);
const ofCase = (input: { id: string }) => ({ kind: "rule case", name: input.id });

/** `rules test` is a command of its own: it tests files too. */
export const ruleCaseOperations = operations(
  "ruleCases",
  {
    list: read({
      rest: "GET /rule-cases",
      summary: "List the cases of the rules by name: calls, what the rules must do with them, and what they do now",
      allow: "read",
      output: z.array(ruleCaseSchema),
      hasDefinitions: true,
      run: ({ services, signal }) => services.ruleCases.list(signal),
      cli: {
        words: "cases",
        summary: "List the cases of the rules, with what the rules do with each now",
        examples: [
          ["toolroom rules cases", "as a table"],
          ["toolroom rules cases --json", "with their calls, as JSON"],
        ],
        table: {
          columns: {
            CASE: ({ name }) => name,
            TOOL: ({ call }) => call.tool,
            EXPECTED: ({ expect }) => expect.outcome,
            NOW: ({ result }) => ({
              text: result.outcome,
              ...(result.status !== "passed" && { color: "red" as const }),
            }),
          },
          empty: "No cases. Save an execution as a case in the console.",
        },
      },
    }),
    test: read({
      rest: "POST /rule-cases/test",
      summary: "Test the rules by their cases: the rules of now, or with one of them changed, which is not saved",
      allow: "read",
      input: ruleTestInputSchema,
      output: ruleTestSchema,
      hasDefinitions: true,
      run: ({ services, signal }, input) => services.ruleCases.test(input, signal),
    }),
    create: act({
      rest: "POST /rule-cases",
      summary: "Create a case",
      allow: "edit",
      input: z.object({ case: ruleCaseInputSchema }),
      body: "case",
      output: ruleCaseSchema,
      status: 201,
      hasDefinitions: true,
      versioned: true,
      audit: {
        target: (_, made) => ({ kind: "rule case", name: made?.id ?? "" }),
        after: (made, _, { ruleCases }) => ruleCases.toState(made.id),
      },
      run: ({ services, actor }, input) => services.ruleCases.create(actor, input.case),
    }),
    get: read({
      rest: "GET /rule-cases/{id}",
      summary: "Get a case",
      allow: "read",
      input: z.object({ id }),
      output: ruleCaseSchema,
      hasDefinitions: true,
      versioned: true,
      run: ({ services }, input) => services.ruleCases.get(input.id),
    }),
    update: act({
      rest: "PUT /rule-cases/{id}",
      summary: "Replace a case",
      allow: "edit",
      input: z.object({ id, case: ruleCaseInputSchema, revision }),
      body: "case",
      output: ruleCaseSchema,
      hasDefinitions: true,
      versioned: ({ ruleCases }, input) => ruleCases.find(input.id).lastEdit,
      audit: { target: ofCase, state: ({ ruleCases }, input) => ruleCases.toState(input.id) },
      run: ({ services, actor }, input) => services.ruleCases.update(actor, input.id, input.case, input.revision),
    }),
    delete: act({
      rest: "DELETE /rule-cases/{id}",
      summary: "Delete a case",
      allow: "edit",
      input: z.object({ id, revision }),
      versioned: ({ ruleCases }, input) => ruleCases.find(input.id).lastEdit,
      audit: { target: ofCase, state: ({ ruleCases }, input) => ruleCases.toState(input.id) },
      run: ({ services, actor }, input) => services.ruleCases.delete(actor, input.id, input.revision),
      cli: {
        words: "delete-case <id>",
        summary: "Delete a case of the rules",
        examples: [
          ["toolroom rules delete-case 'Small refunds need nobody'", "by its name"],
          ["toolroom rules delete-case case_5f0c…", "or its id"],
        ],
        find: { list: "/rule-cases", kind: "case" },
        say: (_, name) => `Deleted the case ${name}.`,
      },
    }),
    propose: read({
      rest: "GET /executions/{executionId}/rule-case",
      summary: "Get the case that an execution suggests, with what the rules of now do with it: nothing is saved",
      allow: "edit",
      input: z.object({ executionId: executionIdSchema }),
      output: proposedCaseSchema,
      hasDefinitions: true,
      run: ({ services, principal }, input) => services.ruleCases.propose(principal, input.executionId),
    }),
  },
  { under: "rules" },
);
