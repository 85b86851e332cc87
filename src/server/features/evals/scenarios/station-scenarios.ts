import type { ProvidedTool } from "../../../engine/agent/run-starter";
import { answerFault, failedCallFault, saysNumber, saysText, textArgument, triedCalls } from "./read-run";
import { type CheckScenario, checkTool, numberFor } from "./scenario";

const TOOL = "check_get_reading";

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

export const STATION_SCENARIOS: readonly CheckScenario[] = [singleCall, parallelCalls, wrongEnum, noTool];
