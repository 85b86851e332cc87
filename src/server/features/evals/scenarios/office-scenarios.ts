import { answerFault, failedCallFault, saysNumber, textArgument, triedCalls } from "./read-run";
import { type CheckScenario, checkTool, codeFor, numberFor } from "./scenario";

const FIND = "check_find_order";
const DELIVERY = "check_get_delivery";

const chain: CheckScenario = {
  id: "chain",
  title: "Chain of two",
  description:
    "The second call needs an id that only the first one's result has. Passes when both are made in that order with that id, and the answer says what the second gave.",
  prepare(round) {
    const orderId = `ord-${codeFor(round, "order")}`;
    const dock = numberFor(round, "dock", 101, 800);
    const findOrder = checkTool(
      {
        name: FIND,
        description: "Find the newest order of a customer. Gives its order id.",
        properties: { customer: { type: "string", description: "Name of the customer" } },
        required: ["customer"],
      },
      ({ customer }) => JSON.stringify({ customer, orderId }),
    );
    const getDelivery = checkTool(
      {
        name: DELIVERY,
        description: "Get the delivery of an order by its order id.",
        properties: { orderId: { type: "string", description: "As check_find_order gives it" } },
        required: ["orderId"],
      },
      ({ orderId: asked }) => {
        if (asked !== orderId) throw new Error("There is no order with this id: find the order first");
        return JSON.stringify({ orderId, state: "waiting", dock });
      },
    );
    return {
      text: "At which dock does the newest order of the customer Ada Lovelace wait? Answer with the number of the dock.",
      tools: [findOrder, getDelivery],
      judge(run) {
        const calls = triedCalls(run.events);
        const found = calls.find(({ name, succeeded }) => name === FIND && succeeded === true);
        if (found === undefined) return `No call of ${FIND} succeeded.`;
        const second = calls.find((call) => call.name === DELIVERY && textArgument(call, "orderId") === orderId);
        if (second === undefined) return `The model did not call ${DELIVERY} with the order id that ${FIND} returned.`;
        if (second.step <= found.step) return `The model called ${DELIVERY} before it could know the order id.`;
        if (second.succeeded !== true) return failedCallFault([second]);
        return answerFault(run, saysNumber(run.text, dock), `the dock ${dock}`);
      },
    };
  },
};

const LEDGER = "check_read_ledger";
const LEDGER_LINES = 240;

const largeResult: CheckScenario = {
  id: "large_result",
  title: "Large result",
  description: "One line of a long result holds the answer. Passes when the answer says the number of that line.",
  prepare(round) {
    const invoice = `INV-${codeFor(round, "invoice").toUpperCase()}`;
    const amount = numberFor(round, "amount", 1001, 8000);
    const line = numberFor(round, "line", 60, 120);
    const tool = checkTool(
      {
        name: LEDGER,
        description: "Read the whole ledger: one line an invoice, with its amount.",
        properties: {},
        required: [],
      },
      () => ledger(round, { invoice, amount, line }),
    );
    return {
      text: `Which amount does the ledger have for the invoice ${invoice}? Answer with the number.`,
      tools: [tool],
      judge(run) {
        const calls = triedCalls(run.events);
        if (calls.length === 0) return `The model did not call ${LEDGER}.`;
        if (!calls.some(({ succeeded }) => succeeded === true)) return failedCallFault(calls);
        return answerFault(run, saysNumber(run.text, amount), `the amount ${amount}`);
      },
    };
  },
};

/** About 12,000 characters, below what a result may have by default. */
function ledger(round: number, needle: { invoice: string; amount: number; line: number }): string {
  const lines = Array.from({ length: LEDGER_LINES }, (_, at) => {
    if (at === needle.line) return `invoice ${needle.invoice}  amount ${needle.amount}  state open`;
    const other = codeFor(round, `other ${at}`).toUpperCase();
    // Outside the range of the wanted amount, so that a wrong line is never right by chance.
    return `invoice INV-${other}  amount ${numberFor(round, `other amount ${at}`, 10_001, 80_000)}  state paid`;
  });
  return lines.join("\n");
}

const REPORT = "check_get_report";

const errorRecovered: CheckScenario = {
  id: "error_recovered",
  title: "Error recovered",
  description:
    "The first call fails with an error that says what to do. Passes when the next call does it and succeeds, and the answer says its value.",
  prepare(round) {
    const code = codeFor(round, "confirm");
    const total = numberFor(round, "total", 201, 700);
    const tool = checkTool(
      {
        name: REPORT,
        description: "Get the report of a month.",
        properties: {
          month: { type: "string", description: "Such as March" },
          confirm: { type: "string", description: "Left out unless an error asks for it" },
        },
        required: ["month"],
      },
      ({ month, confirm }) => {
        if (confirm !== code) throw new Error(`The report is locked. Call again with confirm set to "${code}"`);
        return JSON.stringify({ month, total });
      },
    );
    return {
      text: "What is the total in the report of May? Answer with the number.",
      tools: [tool],
      judge(run) {
        const calls = triedCalls(run.events);
        if (calls.length === 0) return `The model did not call ${REPORT}.`;
        const failed = calls.findIndex(({ succeeded }) => succeeded === false);
        const mended = calls.findIndex(({ succeeded }) => succeeded === true);
        if (mended === -1)
          return calls.length === 1 ? "The model gave up after the error." : "No call did what the error asked for.";
        if (failed === -1 || failed > mended) return "It succeeded without the error that this scenario is about.";
        return answerFault(run, saysNumber(run.text, total), `the total ${total}`);
      },
    };
  },
};

export const OFFICE_SCENARIOS: readonly CheckScenario[] = [chain, largeResult, errorRecovered];
