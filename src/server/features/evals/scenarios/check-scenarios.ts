import type { ProvidedTool } from "../../../engine/agent/run-starter";
import { answerFault, failedCallFault, saysNumber, saysText, textArgument, triedCalls } from "./read-run";
import { type CheckScenario, checkTool, codeFor, numberFor } from "./scenario";

const TOOL = "check_get_reading";

const singleCall: CheckScenario = {
  id: "single_call",
  title: "Single call",
  description:
    "A question that one call of one tool answers. Passes when that call is made once, succeeds, and the answer says its value.",
  prepare: (round) => ({
    text: "What does the measuring station in Oslo read now? Answer with the number.",
    tools: [readingTool(round)],
    judge(run) {
      const calls = triedCalls(run.events);
      if (calls.length === 0) return `The model did not call ${TOOL}.`;
      if (calls.length > 1) return `The model made ${calls.length} calls where one was enough.`;
      const [call] = calls;
      const fault = failedCallFault(calls);
      if (fault !== null) return fault;
      if (call === undefined || !/^oslo$/i.test(textArgument(call, "city").trim()))
        return "The model did not ask for Oslo.";
      const wanted = readingAt(round, "oslo");
      return answerFault(run, saysNumber(run.text, wanted), `the reading ${wanted}`);
    },
  }),
};

const parallelCalls: CheckScenario = {
  id: "parallel_calls",
  title: "Two in parallel",
  description:
    "Two questions that do not depend on each other. Passes when both calls come in one answer of the model, and its last answer says both values.",
  prepare: (round) => ({
    text: "What do the measuring stations in Oslo and in Lima read now? Ask for both at the same time, then answer with both numbers.",
    tools: [readingTool(round)],
    judge(run) {
      const calls = triedCalls(run.events);
      const fault = calls.length === 0 ? `The model did not call ${TOOL}.` : failedCallFault(calls);
      if (fault !== null) return fault;
      const cities = ["Oslo", "Lima"];
      const [oslo, lima] = cities.map((city) =>
        calls.find((call) => textArgument(call, "city").trim().toLowerCase() === city.toLowerCase()),
      );
      if (oslo === undefined || lima === undefined) return "The model did not ask for both cities.";
      if (oslo.step !== lima.step) return "The model asked for one city after the other, not for both in one answer.";
      if (calls.length > 2) return `The model made ${calls.length} calls where two were enough.`;
      const wanted = cities.map((city) => readingAt(round, city));
      const says = wanted.every((value) => saysNumber(run.text, value));
      return answerFault(run, says, `the readings ${wanted.join(" and ")}`);
    },
  }),
};

const noTool: CheckScenario = {
  id: "no_tool",
  title: "No tool needed",
  description:
    "A question that has nothing to do with the tool it is given. Passes when it is answered without a call.",
  prepare: (round) => ({
    text: "What is the capital of France? Answer in one word.",
    tools: [readingTool(round)],
    judge(run) {
      const [call] = triedCalls(run.events);
      if (call !== undefined) return `The model called ${call.name}, which this question does not need.`;
      return answerFault(run, saysText(run.text, "Paris"), "Paris");
    },
  }),
};

const UNIT_TOOL = "check_read_thermometer";

const wrongEnum: CheckScenario = {
  id: "wrong_enum",
  title: "Wrong value recovered",
  description:
    "A parameter whose description invites a value that its schema refuses. Passes when a call with an allowed value succeeds, at once or after the error, and the answer says its value.",
  prepare(round) {
    const reading = numberFor(round, "thermometer", 11, 80);
    const tool = checkTool(
      {
        name: UNIT_TOOL,
        description: "Read the laboratory's thermometer in a unit, such as C.",
        properties: {
          unit: { type: "string", enum: ["celsius", "fahrenheit"], description: "C or F" },
        },
        required: ["unit"],
      },
      ({ unit }) => JSON.stringify({ reading: unit === "celsius" ? reading : reading + 100, unit }),
    );
    return {
      text: "Read the laboratory's thermometer with unit C, and tell me the number.",
      tools: [tool],
      judge(run) {
        const calls = triedCalls(run.events);
        if (calls.length === 0) return `The model did not call ${UNIT_TOOL}.`;
        const good = calls.find((call) => call.succeeded === true && textArgument(call, "unit") === "celsius");
        if (good === undefined) return "No call with the unit celsius succeeded.";
        return answerFault(run, saysNumber(run.text, reading), `the reading ${reading}`);
      },
    };
  },
};

const STATION_SCENARIOS: readonly CheckScenario[] = [singleCall, parallelCalls, wrongEnum, noTool];

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

const OFFICE_SCENARIOS: readonly CheckScenario[] = [chain, largeResult, errorRecovered];

/** The scenarios in the order in which they are shown. */
export const CHECK_SCENARIOS: readonly CheckScenario[] = [...STATION_SCENARIOS, ...OFFICE_SCENARIOS];

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

/** Places have a reading of their own in each round. */
function readingAt(round: number, place: string): number {
  return numberFor(round, `reading ${place.trim().toLowerCase()}`, 41, 40);
}

function readingTool(round: number): ProvidedTool {
  return checkTool(
    {
      name: TOOL,
      description: "Get what the measuring station of a city reads now. One city a call.",
      properties: { city: { type: "string", description: "Name of the city alone, such as Cairo" } },
      required: ["city"],
    },
    ({ city }) => JSON.stringify({ city, reading: readingAt(round, String(city)) }),
  );
}
