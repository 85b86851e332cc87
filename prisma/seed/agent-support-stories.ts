import { LOCAL_OWNER } from "../../src/lib/contract";
import { call, failing, refused, succeeded, turn } from "./agent-plan";
import { type Customer, type Story, SUPPORT, some } from "./agent-story";
import { GPT, HAIKU, INES, MEI, QWEN, SONNET, TOM } from "./agent-tools";

const CRM = some("find_customer", "list_orders", "search_docs", "create_ticket", "refund_order", "send_email");
const SECOND = 1000;
const MINUTE = 60 * SECOND;

const found = ({ id, name }: Customer) =>
  call("find_customer", { query: name }, { customers: [{ id, name }], total: 1 }, 96);
const orders = ({ id, order, total }: Customer, state: string) =>
  call(
    "list_orders",
    { customer_id: id },
    { orders: [{ id: order, state, total: { amount: total, currency: "EUR" } }] },
    214,
  );

/** Customers, orders and money: what a support team asks for. */
export const SUPPORT_STORIES: readonly Story[] = [
  {
    ...{ model: SONNET, actor: INES, instructions: SUPPORT, tools: CRM },
    turns: (customer) => [
      turn(`Where is the newest order of ${customer.name}?`, [
        { ms: 1640, text: "I'll look the customer up first.", calls: [found(customer)] },
        { ms: 1210, calls: [orders(customer, "shipped")] },
        {
          ms: 2380,
          text: `${customer.name} (\`${customer.id}\`) has one order: **${customer.order}** over €${customer.total.toFixed(2)}. It is **shipped**, so it is with the carrier now.`,
        },
      ]),
    ],
  },
  {
    ...{ model: QWEN, actor: TOM, instructions: SUPPORT, tools: CRM },
    turns: (customer) => [
      turn(`Has ${customer.id} any open orders?`, [
        { ms: 4210, calls: [refused("list_orders", { customer: customer.id, state: "open" })] },
        {
          ms: 3890,
          text: "The parameter is called `customer_id`. I'll ask again.",
          calls: [call("list_orders", { customer_id: customer.id, state: "open" }, { orders: [] }, 188)],
        },
        { ms: 2950, text: `No: ${customer.id} has no open orders.` },
      ]),
    ],
  },
  {
    ...{ model: SONNET, actor: INES, instructions: SUPPORT, tools: CRM },
    turns: (customer) => [
      turn(`Order ${customer.order} of ${customer.id} arrived broken. Refund it in full.`, [
        { ms: 1480, calls: [orders(customer, "paid")] },
        {
          ms: 1910,
          reasoning: `The order is paid and its total is ${customer.total}. The request is for the whole amount.`,
          text: `The order is paid, €${customer.total.toFixed(2)}. I'll ask for the refund; somebody has to approve it.`,
          calls: [
            {
              ...call(
                "refund_order",
                { order_id: customer.order, amount: customer.total, reason: "Arrived broken" },
                { refund: "rfd_5180", state: "paid_out" },
                310,
              ),
              approval: { verdict: "approved", by: MEI, waitedMs: 4 * MINUTE + 12 * SECOND },
            },
          ],
        },
        {
          ms: 1730,
          text: `Done: refund \`rfd_5180\` of €${customer.total.toFixed(2)} for ${customer.order} is paid out.`,
        },
      ]),
    ],
  },
  {
    ...{ model: SONNET, actor: TOM, instructions: SUPPORT, tools: CRM },
    turns: (customer) => {
      const half = Math.round(customer.total * 50) / 100;
      return [
        turn(`${customer.name} wants money back for ${customer.order}: half of it never came.`, [
          { ms: 1390, calls: [found(customer)] },
          { ms: 1120, calls: [orders(customer, "shipped")] },
          {
            ms: 2040,
            text: "I'll ask for a refund of the order.",
            calls: [
              {
                ...call(
                  "refund_order",
                  { order_id: customer.order, amount: customer.total, reason: "Parts of the order are missing" },
                  { refund: "rfd_5180", state: "paid_out" },
                  296,
                ),
                approval: {
                  ...{ verdict: "approved", by: INES, waitedMs: 11 * MINUTE, reason: "Only half of it is missing" },
                  edited: { order_id: customer.order, amount: half, reason: "Half of the order is missing" },
                },
              },
            ],
          },
          {
            ms: 1860,
            text: `The refund \`rfd_5180\` is paid out. It was approved for **€${half.toFixed(2)}**, half of the total.`,
          },
        ]),
      ];
    },
  },
  {
    ...{ model: GPT, actor: MEI, instructions: SUPPORT, tools: CRM },
    turns: (customer) => [
      turn(`Tell ${customer.id} by email that the order ${customer.order} is late.`, [
        {
          ms: 1820,
          calls: [
            {
              ...call(
                "send_email",
                {
                  customer_id: customer.id,
                  subject: "Your order is late",
                  body: `Order ${customer.order} is late. We do not know when it comes.`,
                },
                null,
                0,
              ),
              approval: {
                verdict: "rejected",
                by: INES,
                waitedMs: 2 * MINUTE + 40 * SECOND,
                reason: "Say when it comes: the carrier says Friday",
              },
            },
          ],
        },
        {
          ms: 2110,
          text: "I'll name the day.",
          calls: [
            {
              ...call(
                "send_email",
                {
                  customer_id: customer.id,
                  subject: "Your order comes on Friday",
                  body: `Order ${customer.order} is late and comes on Friday. We are sorry for the wait.`,
                },
                { message: "msg_40117", state: "sent" },
                240,
              ),
              approval: { verdict: "approved", by: INES, waitedMs: 55 * SECOND },
            },
          ],
        },
        {
          ms: 1340,
          text: "The first draft was rejected because it named no day. The second one, with Friday in it, is sent (`msg_40117`).",
        },
      ]),
    ],
  },
  {
    ...{ model: HAIKU, actor: INES, instructions: SUPPORT, tools: CRM },
    turns: (customer) => [
      turn(`${customer.id} asks how to set up single sign-on with Okta. If we have no article, open a ticket.`, [
        { ms: 890, calls: [call("search_docs", { question: "single sign-on with Okta" }, { passages: [] }, 431)] },
        {
          ms: 940,
          text: "There is no article about it.",
          calls: [
            call(
              "create_ticket",
              { customer_id: customer.id, subject: "How to set up single sign-on with Okta", priority: "normal" },
              { ticket: "TCK-20917", state: "open" },
              268,
            ),
          ],
        },
        { ms: 720, text: "We have no article on that, so I opened **TCK-20917** for it." },
      ]),
    ],
  },
  {
    ...{ model: GPT, actor: LOCAL_OWNER, instructions: SUPPORT, tools: CRM },
    turns: (customer, random) => {
      const ids = [customer.id, `cus_${random.int(1401, 1499)}`, `cus_${random.int(1500, 1599)}`];
      const list = (id: string, ms: number) =>
        call(
          "list_orders",
          { customer_id: id, state: "paid" },
          { orders: [{ id: `ord_${random.int(70_000, 79_999)}`, state: "paid" }] },
          ms,
        );
      const [first = "", second = "", third = ""] = ids;
      const down = "Service 'orders.internal:8443' is unavailable: connection refused (ECONNREFUSED)";
      return [
        turn(`Which of ${ids.join(", ")} have paid orders that are not shipped?`, [
          {
            ms: 2210,
            reasoning: "Three customers, and nothing that depends on another: I can ask for all of them at once.",
            calls: [
              list(first, 240),
              failing("list_orders", { customer_id: second, state: "paid" }, "unavailable", down, 9),
              list(third, 610),
            ],
          },
          {
            ms: 1450,
            text: "One of the three could not be reached; I'll try that one again.",
            calls: [list(second, 205)],
          },
          {
            ms: 2600,
            text: `| Customer | Paid, not shipped |\n| --- | --- |\n| ${ids.map((id) => `${id} | 1`).join(" |\n| ")} |\n\nAll three have one.`,
          },
        ]),
      ];
    },
  },
  {
    ...{ model: SONNET, actor: INES, instructions: SUPPORT, tools: CRM },
    turns: (customer) => [
      turn(`Who is ${customer.name}?`, [
        { ms: 1310, calls: [found(customer)] },
        { ms: 1180, text: `${customer.name} is customer \`${customer.id}\`.` },
      ]),
      turn(
        "And the orders?",
        [
          { ms: 1240, calls: [orders(customer, "paid")] },
          { ms: 1520, text: `One: ${customer.order}, paid, €${customer.total.toFixed(2)}.` },
        ],
        48 * SECOND,
      ),
      turn(
        "Open a ticket: they want it delivered to their office.",
        [
          {
            ms: 1410,
            calls: [
              call(
                "create_ticket",
                { customer_id: customer.id, subject: `Deliver ${customer.order} to the office`, priority: "urgent" },
                { ticket: "TCK-21044", state: "open" },
                251,
              ),
            ],
          },
          { ms: 990, text: "**TCK-21044** is open, marked urgent." },
        ],
        2 * MINUTE,
      ),
    ],
  },
  {
    ...{ model: GPT, actor: INES, instructions: SUPPORT, tools: CRM },
    turns: (customer) => [
      {
        ...{ text: `Refund ${customer.order}, the customer is ${customer.id}.`, pauseMs: 0, end: succeeded },
        steps: [
          { ms: 1660, calls: [orders(customer, "refunded")] },
          { ms: 1280, text: `${customer.order} is refunded already, so I did nothing.` },
        ],
      },
    ],
  },
];
