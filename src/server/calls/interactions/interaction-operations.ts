import { z } from "zod";
import { argumentVerdictSchema } from "../../../lib/contract/envelope";
import { interactionAnswerSchema, pendingInteractionSchema } from "../../../lib/contract/interaction";
import { act, operations, read } from "../../platform/api/operation";

const id = z.string().max(100);

/** An answer may be personal: it goes to the server and nowhere else, so that the audit log has only what kind it is. */
export const interactionOperations = operations("interactions", {
  list: read({
    rest: "GET /interactions",
    summary: "List the requests of MCP servers that wait for your input, oldest first",
    allow: "read",
    output: z.array(pendingInteractionSchema),
    run: ({ services, actor }) => services.interactions.list(actor.id),
  }),
  validate: act({
    rest: "POST /interactions/{id}/validate",
    summary: "Check the values of a form without sending them",
    allow: "read",
    input: z.strictObject({ id, content: z.record(z.string(), z.unknown()) }),
    output: argumentVerdictSchema,
    audit: { unrecorded: "It changes nothing" },
    run: ({ services, actor }, input) => services.interactions.validate(actor, input.id, input.content),
  }),
  answer: act({
    rest: "POST /interactions/{id}/answer",
    summary: "Answer a request of an MCP server: accept it with the values of its form or a response, or refuse it",
    allow: "run",
    input: z.object({ id, answer: interactionAnswerSchema }),
    body: "answer",
    output: z.object({
      answered: z.boolean().describe("False for a request that was answered before, or whose call no longer waits"),
    }),
    audit: {
      target: (input) => ({ kind: "server request", name: input.id }),
      after: (outcome, { answer }) => ({ action: answer.action, ...outcome }),
    },
    run: ({ services, actor }, input) => services.interactions.answer(actor, input.id, input.answer),
  }),
});
