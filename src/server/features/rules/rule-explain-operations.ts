import { z } from "zod";
import type { CaseCall } from "../../../lib/contract/rule-case";
import { callExplanationSchema, explainedCallSchema } from "../../../lib/contract/rule-explanation";
import { act } from "../../platform/api/operation";

/** What would become of a call. `rules explain` is a command of its own: it reads arguments from files and stdin. */
export const ruleExplanations = {
  explain: act({
    rest: "POST /rules/explain",
    summary:
      "What would become of a call, with what each rule, limit and approval setting does: nothing is counted, recorded or sent",
    allow: "read",
    input: z.object({
      call: explainedCallSchema.describe(
        "As in a case. What is absent is as of now: your own call, over REST, without client, token and toolset",
      ),
    }),
    body: "call",
    output: callExplanationSchema,
    hasDefinitions: true,
    audit: { unrecorded: "It changes nothing" },
    run: ({ services, principal }, { call }) => services.ruleExplainer.explain(principal, call),
    agent: {
      name: "explain_call",
      description:
        "Say what would become of a call before it is made: which rule or setting decides, what limits have left and who would be asked.",
      input: explainedCallSchema,
      toInput: (call: CaseCall) => ({ call }),
      onlyReads: true,
    },
  }),
};
