import { call } from "./agent-plan";
import { type Story, SUPPORT, some } from "./agent-story";
import { FLASH, MEI, QWEN, TOM } from "./agent-tools";

/** Runs that did not come to their end: a provider's fault, a person's stop, the end of the server. */
export const BROKEN_STORIES: readonly Story[] = [
  {
    ...{ model: FLASH, actor: TOM, tools: some("find_customer", "list_orders", "search_docs") },
    turns: ({ id }) => [
      {
        ...{ text: `Summarise everything we know about ${id}`, pauseMs: 0 },
        steps: [
          {
            ms: 9400,
            notices: [{ notice: "retry", text: "The model is overloaded (503); asked again after 2 s" }],
            fault: {
              kind: "overloaded",
              message: "Gemini is overloaded (503): The model is overloaded. Please try again later.",
            },
          },
        ],
        end: {
          status: "failed",
          error: "Gemini is overloaded (503): The model is overloaded. Please try again later.",
        },
      },
    ],
  },
  {
    ...{ model: QWEN, actor: MEI, instructions: SUPPORT, tools: some("find_customer", "list_orders", "search_docs") },
    turns: () => [
      {
        ...{ text: "Write an article for the help centre on refunds after thirty days.", pauseMs: 0 },
        steps: [
          {
            ms: 3900,
            calls: [
              call(
                "search_docs",
                { question: "refund after thirty days" },
                { passages: [{ title: "Refunds", url: "https://help.example.org/articles/214", score: 0.88 }] },
                395,
              ),
            ],
          },
          {
            ms: 21_300,
            stopped: true,
            text: "# Refunds after thirty days\n\nYou can send most things back within thirty days. After that, a refund is possible when\n\n1. the item was faulty when it came,\n2. it came",
          },
        ],
        end: { status: "cancelled", error: null },
      },
    ],
  },
  {
    ...{ model: QWEN, actor: MEI, tools: some("query_warehouse") },
    turns: () => [
      {
        ...{ text: "Run the quarterly report over all tables.", pauseMs: 0 },
        steps: [
          {
            ms: 5230,
            calls: [
              {
                ...call(
                  "query_warehouse",
                  { sql: "SELECT * FROM orders JOIN tickets USING (customer)", max_rows: 10_000 },
                  null,
                  8600,
                ),
                interrupted: true,
              },
            ],
          },
        ],
        end: { status: "interrupted", error: "The server ended while this run was going on" },
      },
    ],
  },
];
