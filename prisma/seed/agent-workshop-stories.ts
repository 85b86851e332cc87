import { LOCAL_OWNER } from "../../src/lib/contract";
import { call, failing, refused, turn } from "./agent-plan";
import { type Story, some } from "./agent-story";
import { DEMO, FLASH, GPT, GPT_MINI, HAIKU, MEI, QWEN, SONNET, TOM } from "./agent-tools";

const WAREHOUSE = some("query_warehouse", "calculator", "clock");
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HELP = { title: "Resetting a password", url: "https://help.example.org/articles/101", score: 0.91 };

const weather = (location: string, ms: number) =>
  call(
    "get_weather",
    { location, units: "celsius" },
    { temperature: 22, condition: "sunny", humidity: 65, wind: { speed: 4.1, direction: "SW" } },
    ms,
  );
const rows = (count: number) => ({
  columns: ["day", "count"],
  rows: Array.from({ length: count }, (_, day) => [
    `2026-11-${String(day + 1).padStart(2, "0")}`,
    400 + ((day * 137) % 260),
  ]),
});

/** Figures, weather and mistakes: what people try a model with. */
export const WORKSHOP_STORIES: readonly Story[] = [
  {
    ...{ model: GPT_MINI, actor: LOCAL_OWNER },
    turns: () => [
      turn("Compare the weather in Oslo, Lima and Kyoto.", [
        { ms: 1120, calls: [weather("Oslo", 0.6), weather("Lima", 0.4), weather("Kyoto", 0.5)] },
        {
          ms: 1890,
          text: "All three report the same:\n\n- **Oslo** 22 °C, sunny\n- **Lima** 22 °C, sunny\n- **Kyoto** 22 °C, sunny\n\nThat is unlikely for three places so far apart; the service may be a sample.",
        },
      ]),
    ],
  },
  {
    ...{ model: FLASH, actor: TOM, tools: some("calculator") },
    turns: () => [
      turn("What is 1290 plus 25 % VAT?", [
        {
          ms: 830,
          calls: [failing("calculator", { expression: "1290 * (1 + vat)" }, "tool_error", "Undefined symbol vat", 7)],
        },
        { ms: 790, calls: [call("calculator", { expression: "1290 * 1.25" }, { result: 1612.5 }, 5)] },
        { ms: 640, text: "1290 plus 25 % is **1612.5**." },
      ]),
    ],
  },
  {
    ...{ model: GPT, actor: MEI, tools: WAREHOUSE },
    turns: () => [
      turn("How many orders did we have a day this month?", [
        {
          ms: 2010,
          reasoning: "One grouped query gives the whole month.",
          calls: [
            call(
              "query_warehouse",
              {
                sql: "SELECT day, count(*) FROM orders WHERE day >= date_trunc('month', now()) GROUP BY day ORDER BY day",
              },
              rows(20),
              1840,
            ),
          ],
        },
        {
          ms: 3120,
          text: "Between 400 and 650 a day. The best was over 640, the weakest 400; there is no trend within the month.",
        },
      ]),
      turn(
        "And the sum?",
        [
          {
            ms: 1290,
            calls: [
              call(
                "query_warehouse",
                { sql: "SELECT count(*) FROM orders WHERE day >= date_trunc('month', now())" },
                { columns: ["count"], rows: [[10_482]] },
                920,
              ),
            ],
          },
          { ms: 880, text: "**10,482** orders so far." },
        ],
        35 * SECOND,
      ),
    ],
  },
  {
    ...{ model: SONNET, actor: TOM, tools: WAREHOUSE },
    turns: () => [
      turn("Orders per customer for the last five years, please.", [
        {
          ms: 1730,
          calls: [
            failing(
              "query_warehouse",
              { sql: "SELECT customer, count(*) FROM orders GROUP BY customer" },
              "timeout",
              "Tool 'query_warehouse' timed out after 20 seconds",
              20_000,
            ),
          ],
        },
        {
          ms: 2220,
          text: "That took too long. I'll ask for the hundred customers with the most orders.",
          calls: [
            call(
              "query_warehouse",
              {
                sql: "SELECT customer, count(*) AS n FROM orders GROUP BY customer ORDER BY n DESC LIMIT 100",
                max_rows: 100,
              },
              {
                columns: ["customer", "n"],
                rows: [
                  ["cus_1042", 311],
                  ["cus_1187", 288],
                  ["cus_1009", 274],
                ],
              },
              7420,
            ),
          ],
        },
        {
          ms: 2480,
          text: "The whole list takes longer than the 20 s a query may have. The first three of the hundred largest are cus_1042 (311), cus_1187 (288) and cus_1009 (274).",
        },
      ]),
    ],
  },
  {
    ...{ model: HAIKU, actor: TOM, tools: some("search_docs") },
    turns: () => [
      turn("How do customers reset a forgotten password?", [
        {
          ms: 910,
          calls: [
            call("search_docs", { question: "reset a forgotten password", language: "en" }, { passages: [HELP] }, 402),
          ],
        },
        {
          ms: 830,
          text: "By the link on the sign-in page: [Resetting a password](https://help.example.org/articles/101).",
        },
      ]),
    ],
  },
  {
    ...{ model: GPT, actor: TOM, tools: some("search_docs"), rerun: { step: 2, results: "live" } },
    turns: () => [
      turn(null, [
        {
          ms: 1710,
          text: "Customers open the sign-in page, choose “Forgot password” and follow the link in the email they get. The article is [Resetting a password](https://help.example.org/articles/101).",
        },
      ]),
    ],
  },
  {
    ...{ model: SONNET, actor: TOM, tools: some("search_docs"), rerun: { step: 1, results: "recorded" } },
    turns: () => [
      turn(null, [
        {
          ms: 1320,
          calls: [
            {
              ...call(
                "search_docs",
                { question: "reset a forgotten password", language: "en" },
                { passages: [HELP] },
                0,
              ),
              recorded: true,
            },
          ],
        },
        {
          ms: 1460,
          text: "They follow *Forgot password* on the sign-in page; see [Resetting a password](https://help.example.org/articles/101).",
        },
      ]),
    ],
  },
  {
    ...{ model: QWEN, actor: TOM, tools: some("get_weather") },
    turns: () => [
      turn("What is the weather in Lima, in kelvin?", [
        { ms: 3310, calls: [refused("get_weather", { location: "Lima", units: "kelvin" })] },
        { ms: 3180, calls: [refused("get_weather", { location: "Lima", units: "kelvin" })] },
        {
          ms: 3420,
          notices: [
            {
              notice: "repeated_call",
              text: "get_weather was called again with the same arguments after it had failed",
            },
          ],
          calls: [weather("Lima", 0.5)],
        },
        { ms: 2870, text: "The tool knows celsius and fahrenheit only. It is 22 °C in Lima, which is about 295 K." },
      ]),
    ],
  },
  {
    ...{ model: DEMO, actor: LOCAL_OWNER },
    turns: () => [
      turn("What is 12 * 7?", [
        {
          ms: 180,
          text: "I call `calculator`.",
          calls: [call("calculator", { expression: "12 * 7" }, { result: 84 }, 6)],
        },
        { ms: 150, text: "`calculator` gave **84**." },
      ]),
    ],
  },
  {
    ...{ model: SONNET, actor: LOCAL_OWNER, instructions: "Answer in one sentence." },
    turns: () => [
      turn("What does idempotent mean for a tool?", [
        { ms: 2260, text: "Calling it again with the same arguments changes nothing more than the first call did." },
      ]),
      turn(
        "Give an example.",
        [
          {
            ms: 1540,
            text: "Setting a ticket's priority to urgent twice leaves it urgent, while sending an email twice sends two.",
          },
        ],
        MINUTE,
      ),
    ],
  },
];
