import type { ExecutionDetail } from "../../../lib/contract/execution";
import { isPlainObject, type JsonSchema, type JsonValue } from "../../../lib/contract/json";
import type { Assertion, SuiteTest } from "../../../lib/contract/suite";
import { describeCall } from "../../../lib/format/describe-call";
import { canonicalJson } from "../../../lib/json/canonical-json";
import { hasMask } from "../../../lib/masked-value";
import { findVolatile } from "../../../lib/testing/find-volatile";
import type { ExecutionReads } from "../../calls/executions/readable-executions";
import { AppError } from "../../platform/shared/app-error";

/** A larger result is described by its shape. */
const MAX_EQUAL_BYTES = 16_384;
/** Other results of the same call, which show the parts that vary without a change. */
const MAX_OTHERS = 5;
const LOOKED_AT = 50;
/** A test must not fail because a machine is busy. */
const TIME_FACTOR = 10;
const TIMES_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 3_600_000];

type Executions = Pick<ExecutionReads, "list" | "getMany">;

/** A test of an execution: its arguments, and what of its outcome another call should repeat. */
export async function proposeTest(execution: ExecutionDetail, executions: Executions): Promise<SuiteTest> {
  const { toolName, argumentsText, status } = execution;
  if (status === "running" || status === "waiting") {
    throw new AppError("CONFLICT", `Execution '${execution.id}' has not ended: save it as a test afterwards`);
  }
  const args = parse(argumentsText);
  if (!isPlainObject(args)) throw new AppError("INVALID", "The arguments are no JSON object: a test needs one");
  const assertions = status === "succeeded" ? await expectResult(execution, executions) : expectError(execution);
  return {
    name: describeCall(toolName, args),
    tool: toolName,
    arguments: args as Record<string, JsonValue>,
    assertions,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function expectError({ errorKind, error }: ExecutionDetail): Assertion[] {
  const message = error !== null && error.length <= 300 && !hasMask(error) ? { message: error } : {};
  return [{ kind: "error", error: errorKind ?? "unexpected", ...message }];
}

async function expectResult(execution: ExecutionDetail, executions: Executions): Promise<Assertion[]> {
  const { resultText, resultTruncated, resultBytes, durationMs } = execution;
  const found: Assertion[] = [];
  const value = resultText === null || resultTruncated ? undefined : (parse(resultText) as JsonValue | undefined);
  if (value !== undefined && (resultBytes ?? 0) <= MAX_EQUAL_BYTES) {
    const ignore = findVolatile(value, await readOthers(execution, executions));
    found.push({ kind: "equals", value, ...(ignore.length > 0 ? { ignore } : {}) });
  } else if (value !== undefined) {
    found.push({ kind: "schema", schema: describeShape(value, 3) });
    if (resultBytes !== null) found.push({ kind: "size", maxBytes: resultBytes * 2 });
  }
  const maxMs = TIMES_MS.find((each) => each >= (durationMs ?? 0) * TIME_FACTOR);
  if (maxMs !== undefined) found.push({ kind: "time", maxMs });
  return found;
}

/** Results of other calls with the same arguments. */
async function readOthers(execution: ExecutionDetail, { list, getMany }: Executions): Promise<unknown[]> {
  const filter = {
    tool: [execution.toolName],
    status: ["succeeded" as const],
    definition: execution.definitionHash ?? "",
  };
  const { items } = await list(filter, undefined, LOOKED_AT);
  const ids = items.filter(({ id }) => id !== execution.id).map(({ id }) => id);
  const wanted = canonicalJson(parse(execution.argumentsText));
  const isSame = ({ argumentsText }: { argumentsText: string }) => canonicalJson(parse(argumentsText)) === wanted;
  const same = (await getMany(ids)).filter(isSame).slice(0, MAX_OTHERS);
  return same.flatMap(({ resultText, resultTruncated }) => {
    const value = resultText === null || resultTruncated ? undefined : parse(resultText);
    return value === undefined ? [] : [value];
  });
}

/** The types of a value and the members that it has, some levels deep. */
function describeShape(value: JsonValue, levels: number): JsonSchema {
  if (value === null) return { type: "null" };
  if (Array.isArray(value)) {
    const [first] = value;
    return {
      type: "array",
      ...(first === undefined || levels === 0 ? {} : { items: describeShape(first, levels - 1) }),
    };
  }
  if (typeof value !== "object") return { type: typeof value };
  if (levels === 0) return { type: "object" };
  const members = Object.entries(value);
  const properties = Object.fromEntries(members.map(([key, member]) => [key, describeShape(member, levels - 1)]));
  return { type: "object", required: Object.keys(properties), properties };
}
