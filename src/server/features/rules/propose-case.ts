import type { Role } from "../../../lib/contract/access";
import type { ExecutionDetail } from "../../../lib/contract/execution";
import { getKind } from "../../../lib/contract/execution-kind";
import { isPlainObject, type JsonObject } from "../../../lib/contract/json";
import type { CaseCall, ProposedCase } from "../../../lib/contract/rule-case";
import { MAX_CASE_ARGUMENT_CHARS } from "../../../lib/contract/rule-case-words";
import { describeCall } from "../../../lib/format/describe-call";
import { parseWithDigits } from "../../../lib/json/number-digits";
import type { TestCase } from "../../engine/rules/test-case";
import { AppError } from "../../platform/shared/app-error";
import { leaveOutHidden } from "./case-arguments";

interface ProposalPorts {
  testCase: TestCase;
  /** The role of a user now; null where it is not known. */
  readRole: (userId: string) => Role | null;
  /** The id of the API token that the call was made with. */
  tokenId: string | null;
  isTaken: (name: string) => boolean;
}

/** A case of a recorded call: what is not masked of it, with the decision that the rules of now make. */
export function proposeCase(
  execution: ExecutionDetail,
  { testCase, readRole, tokenId, isTaken }: ProposalPorts,
): ProposedCase {
  const { args, left } = readRecordedArguments(execution);
  const { toolName, actor, client, source, toolset, queuedAt } = execution;
  const role = readRole(actor.id) ?? undefined;
  const call: CaseCall = {
    tool: toolName,
    arguments: args,
    caller: { id: actor.id, ...(role && { role }), ...(tokenId !== null && { token: tokenId }) },
    ...(client !== null && { client }),
    source,
    ...(toolset !== null && { toolset }),
  };
  const timed = { ...call, time: new Date(queuedAt).toISOString() };
  const named = { ...call, caller: { ...call.caller, name: actor.name } };
  const expect = { outcome: "none" as const };
  // The name and the time are given only where a rule depends on them.
  const [chosen = call] = [call, timed, named, { ...timed, caller: named.caller }].filter(
    (each) => testCase({ call: each, expect }).outcome !== "unknown",
  );
  const { outcome, rule, notes } = testCase({ call: chosen, expect });
  return {
    case: {
      name: findFreeName(describeCall(toolName, args), isTaken),
      call: chosen,
      expect: outcome === "unknown" ? expect : { outcome, ...(rule !== null && { rule }) },
    },
    left,
    notes,
  };
}

function readRecordedArguments(execution: ExecutionDetail): ReturnType<typeof leaveOutHidden> {
  const { argumentsText, toolName, restricted } = execution;
  if (getKind(execution) !== "tool")
    throw new AppError("INVALID", `'${toolName}' is no tool: rules have cases of tools`);
  if (restricted)
    throw new AppError("DENIED", "This call uses another user's own credential: its arguments are theirs");
  if (argumentsText.length > MAX_CASE_ARGUMENT_CHARS) {
    throw new AppError(
      "INVALID",
      `The arguments have more than ${MAX_CASE_ARGUMENT_CHARS} characters: write a smaller case`,
    );
  }
  const args = parse(argumentsText);
  if (!isPlainObject(args)) throw new AppError("INVALID", "The arguments are no JSON object: a case needs one");
  return leaveOutHidden(args as JsonObject);
}

function parse(text: string): unknown {
  try {
    return parseWithDigits(text);
  } catch {
    return undefined;
  }
}

function findFreeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const next = number === 1 ? name : `${name} (${number})`;
    if (!isTaken(next)) return next;
  }
}
