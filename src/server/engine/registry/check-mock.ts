import { isPlainObject, readOwn } from "../../../lib/contract/json";
import { describeValue, type Problem } from "../../../lib/contract/problem";
import { JSON_PATH_PATTERN, JSON_PATH_RULE } from "../../../lib/contract/test-limits";

const MAX_RULES = 100;
const MAX_DELAY_MS = 3_600_000;
const MAX_ERROR_CHARS = 2_000;
const AT = "implementation";
const CONDITION = "must be { equals }, { subset } or { path, value }";

/** Everything wrong with a mock. */
export function checkMock(mock: Record<string, unknown>): Problem[] {
  return [
    ...checkDefault(readOwn(mock, "mock_response")),
    ...checkRules(readOwn(mock, "mock_responses")),
    ...checkDelay(readOwn(mock, "mock_delay_ms"), `${AT}.mock_delay_ms`),
    ...checkRate(readOwn(mock, "mock_error_rate")),
  ];
}

function checkDefault(response: unknown): Problem[] {
  const path = `${AT}.mock_response`;
  if (response === undefined) return [{ path, message: "is required for a mock (null is allowed)" }];
  return isJson(response) ? [] : [{ path, message: "must be a JSON value" }];
}

function checkRules(rules: unknown): Problem[] {
  const path = `${AT}.mock_responses`;
  if (rules === undefined) return [];
  if (!Array.isArray(rules))
    return [{ path, message: `must be a list of { when, response }, got ${describeValue(rules)}` }];
  if (rules.length > MAX_RULES) return [{ path, message: `must be at most ${MAX_RULES} responses` }];
  return rules.flatMap((rule: unknown, at) => checkRule(rule, `${path}[${at}]`));
}

function checkRule(rule: unknown, path: string): Problem[] {
  if (!isPlainObject(rule)) return [{ path, message: "must be an object with when and response" }];
  const problems = checkCondition(readOwn(rule, "when"), `${path}.when`);
  const [response, error] = [readOwn(rule, "response"), readOwn(rule, "error")];
  if ((response === undefined) === (error === undefined)) {
    problems.push({ path, message: "must have a response (null is allowed) or an error, and not both" });
  }
  if (response !== undefined && !isJson(response)) {
    problems.push({ path: `${path}.response`, message: "must be a JSON value" });
  }
  if (error !== undefined && (typeof error !== "string" || error === "" || error.length > MAX_ERROR_CHARS)) {
    problems.push({ path: `${path}.error`, message: `must be a message of at most ${MAX_ERROR_CHARS} characters` });
  }
  return [...problems, ...checkDelay(readOwn(rule, "delay_ms"), `${path}.delay_ms`)];
}

function checkCondition(condition: unknown, path: string): Problem[] {
  if (!isPlainObject(condition)) return [{ path, message: `${CONDITION}, got ${describeValue(condition)}` }];
  const kinds = ["equals", "subset", "path"].filter((kind) => Object.hasOwn(condition, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) return [{ path, message: CONDITION }];
  const expected = readOwn(condition, kind);
  if (kind !== "path") {
    return isPlainObject(expected) ? [] : [{ path: `${path}.${kind}`, message: "must be an object of arguments" }];
  }
  const problems: Problem[] = [];
  if (typeof expected !== "string" || !JSON_PATH_PATTERN.test(expected)) {
    problems.push({ path: `${path}.path`, message: `${JSON_PATH_RULE}, got ${describeValue(expected)}` });
  }
  if (!isJson(readOwn(condition, "value"))) problems.push({ path: `${path}.value`, message: "is required" });
  return problems;
}

function checkDelay(delay: unknown, path: string): Problem[] {
  if (delay === undefined || isMs(delay)) return [];
  if (isPlainObject(delay)) {
    const [min, max] = [readOwn(delay, "min"), readOwn(delay, "max")];
    if (isMs(min) && isMs(max) && min <= max) return [];
  }
  const message = `must be milliseconds from 0 to ${MAX_DELAY_MS}, or a range { min, max } of them`;
  return [{ path, message: `${message}, got ${describeValue(delay)}` }];
}

const isMs = (value: unknown): value is number => typeof value === "number" && value >= 0 && value <= MAX_DELAY_MS;

function checkRate(rate: unknown): Problem[] {
  if (rate === undefined || (typeof rate === "number" && rate >= 0 && rate <= 1)) return [];
  return [{ path: `${AT}.mock_error_rate`, message: `must be a number from 0 to 1, got ${describeValue(rate)}` }];
}

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined;
  } catch {
    return false;
  }
}
