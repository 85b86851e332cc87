import { spendInputSchema, spendReportSchema } from "../../../lib/contract/spend";
import { formatCount } from "../../../lib/format";
import { formatDollars } from "../../../lib/format/dollars";
import { operations, read } from "../../platform/api/operation";

const OWN = "Only what you spent: others' spend is for admins.";

export const spendOperations = operations(
  "spend",
  {
    read: read({
      rest: "GET /spend",
      summary:
        "Sum what calls of tools and models cost, by day, user, client, tool or model. Admins read everyone's spend, others their own",
      allow: "read",
      input: spendInputSchema,
      output: spendReportSchema,
      run: ({ services, principal }, input) => services.spend.read(principal, input),
      cli: {
        words: "spend",
        summary: "Show what calls of tools and models cost",
        examples: [
          ["toolroom spend --by tool", "the last 30 days, the dearest tool first"],
          ["toolroom spend --from 2026-11-01 --to 2026-11-30 --by user --json", "a month by user, as JSON"],
        ],
        options: {
          from: ["--from <day>", "the first day in UTC: 2026-11-01"],
          to: ["--to <day>", "the last day; default: today"],
          by: ["--by <what>", "day, user, client, tool or model"],
        },
        print: ({ from, to, total, groups, isOwn }) => [
          {
            head: ["FOR", "TOOLS", "MODELS", "CALLS"],
            rows: [
              ...groups.map(({ name, tools, models, calls }) => [
                name,
                formatDollars(tools),
                formatDollars(models),
                formatCount(calls),
              ]),
              [`${from} to ${to}`, formatDollars(total.tools), formatDollars(total.models), formatCount(total.calls)],
            ],
          },
          ...(isOwn ? [{ notes: [OWN] }] : []),
        ],
      },
    }),
  },
  { under: "" },
);
