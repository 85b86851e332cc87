import type { FunctionCallContent, FunctionResultContent } from "../../../lib/contract/chat";
import type { ToolCallResult } from "../../../lib/contract/content";
import { isPlainObject } from "../../../lib/contract/json";
import { parseExact } from "../../../lib/json/exact-text";
import { exceptionResult, toFunctionResult } from "../../engine/agent/function-result";
import type { ProvidedTool } from "../../engine/agent/run-starter";
import type { CassettePlayer, CassetteVisit, Played } from "../../engine/cassettes/cassette-ports";
import { CallArguments } from "../../engine/executor/call-arguments";
import { readErrorText } from "../../engine/executor/tool-call-result";
import { AppError } from "../../platform/shared/app-error";
import type { LiveRun } from "./live-run";
import type { FindRecorded } from "./recorded-results";

/** The client's name in the reports of cassettes. */
const CLIENT = "playground";

interface CassetteAnswers {
  /** The recorded tools, which the model is offered in place of those of the catalog. */
  provided: readonly ProvidedTool[];
  recorded: FindRecorded;
}

/**
 * Answers the calls of a run from a cassette: no tool runs, and a call without a recording fails.
 * @throws AppError for an unknown cassette
 */
export async function answerFromCassette(
  player: CassettePlayer | undefined,
  run: Pick<LiveRun, "id" | "actor" | "settings">,
  maxModelChars: number,
): Promise<CassetteAnswers | null> {
  const { cassette: name } = run.settings;
  if (name === undefined) return null;
  const served = (await player?.open(name)) ?? null;
  if (player === undefined || served === null) throw new AppError("INVALID", `There is no cassette '${name}'`);
  const visit: CassetteVisit = {
    name,
    actor: { id: run.actor.id, name: run.actor.name },
    client: CLIENT,
    sessionId: null,
    label: run.id,
    faults: null,
  };
  const tools = new Map(served.tools.map((tool) => [tool.name, tool]));
  return {
    provided: served.tools.map((definition) => ({ definition, run: refuseToRun })),
    async recorded(call) {
      const args = readArguments(call);
      // For arguments that are not an object, the model receives the usual error.
      if (args === null || !tools.has(call.name)) return null;
      const played = await player.play(visit, { kind: "tool", name: call.name, args, canRunLive: false });
      return toResult(call, played, (text) =>
        toFunctionResult(call, envelopeOf(call, text), tools.get(call.name), maxModelChars),
      );
    },
  };
}

function toResult(
  call: FunctionCallContent,
  played: Played,
  toAnswer: (outcomeText: string) => FunctionResultContent,
): FunctionResultContent {
  if (played.kind === "missed") return exceptionResult(call, "tool_error", `Cassette miss: ${played.message}`);
  if (played.kind !== "recorded") return exceptionResult(call, "tool_error", "Injected fault: the call failed");
  const { failed, outcomeText } = played.call;
  if (failed) return exceptionResult(call, "tool_error", (JSON.parse(outcomeText) as { message: string }).message);
  const { executionId: _none, ...answer } = toAnswer(outcomeText);
  return answer;
}

function envelopeOf({ name }: FunctionCallContent, outcomeText: string) {
  const result = parseExact(outcomeText) as ToolCallResult;
  const common = { tool_name: name, execution_time_ms: 0, execution_id: "", result };
  if (result.isError !== true) return { success: true, status: "succeeded", ...common } as const;
  return {
    success: false,
    status: "failed",
    error_kind: "tool_error",
    error: readErrorText(result),
    ...common,
  } as const;
}

function readArguments({ arguments: given }: FunctionCallContent): CallArguments | null {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  try {
    const args = CallArguments.parse(text === "" ? "{}" : text);
    return isPlainObject(args.value) ? args : null;
  } catch {
    return null;
  }
}

/** Every call of an offered tool is answered before it would run. */
function refuseToRun(): never {
  throw new Error("A cassette runs no tool");
}
