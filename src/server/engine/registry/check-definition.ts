import { isPlainObject, type JsonSchema, readOwn } from "../../../lib/contract/json";
import { LIMIT_KEYS } from "../../../lib/contract/limit-keys";
import { describeValue, type Problem } from "../../../lib/contract/problem";
import { JSON_PATH_PATTERN, JSON_PATH_RULE } from "../../../lib/contract/suite-limits";
import {
  CATALOG_IMPLEMENTATION_TYPES,
  MAX_SENSITIVE_PATHS,
  SENSITIVE_PATH_PATTERN,
  SENSITIVE_PATH_RULE,
  TOOL_NAME_PATTERN,
  type ToolDefinition,
} from "../../../lib/contract/tool-definition";
import { checkFacts } from "../../../lib/contract/tool-facts";
import { copyDigits } from "../../../lib/json/number-digits";
import { measureJson } from "../validation/validate-arguments";

const MAX_RULES = 100;
const MAX_DELAY_MS = 3_600_000;
const MAX_ERROR_CHARS = 2_000;
const AT = "implementation";
const CONDITION = "must be { equals }, { subset } or { path, value }";

const MAX_DEPTH = 200;

export const HTTP_NOT_SUPPORTED = "HTTP tools not yet supported (coming in v2)";

/**
 * Lists the problems of a definition in the order in which a user fixes them; empty when it can be registered.
 * @param checkSchema says what is wrong with a JSON Schema, or null
 * @param options.implemented functions in code and tools of MCP servers bring their implementation themselves
 */
export function checkDefinition(
  candidate: unknown,
  checkSchema: (schema: JsonSchema) => string | null,
  options: { implemented?: boolean } = {},
): Problem[] {
  if (!isPlainObject(candidate)) return [problem("", "the definition must be a JSON object")];
  // Checked before anything walks it: a deeper value could not be copied, stored and shown.
  const { depth } = measureJson(candidate, { maxBytes: Number.POSITIVE_INFINITY, maxDepth: MAX_DEPTH });
  if (depth > MAX_DEPTH) return [problem("", `the definition is nested deeper than ${MAX_DEPTH} levels`)];
  const implementation = readOwn(candidate, "implementation");
  if (isPlainObject(implementation) && readOwn(implementation, "type") === "http")
    return [problem("", HTTP_NOT_SUPPORTED)];
  return [
    ...checkIdentity(candidate),
    ...checkParameters(readOwn(candidate, "parameters"), checkSchema),
    ...(options.implemented ? [] : checkImplementation(implementation)),
    ...checkOptions(candidate),
  ];
}

function checkIdentity(definition: Record<string, unknown>): Problem[] {
  const problems: Problem[] = [];
  const name = readOwn(definition, "name");
  if (typeof name !== "string" || name === "") problems.push(problem("name", "must be a non-empty string"));
  else if (!TOOL_NAME_PATTERN.test(name)) {
    problems.push(
      problem("name", `must be 1–128 letters, digits, '_', '-' or '.', got ${JSON.stringify(name.slice(0, 140))}`),
    );
  }
  const description = readOwn(definition, "description");
  if (typeof description !== "string" || description.trim() === "") {
    problems.push(problem("description", "must be a non-empty string"));
  }
  const type = readOwn(definition, "type");
  if (type !== "function") problems.push(problem("type", `must be "function", got ${describeValue(type)}`));
  const handler = readOwn(definition, "handler");
  if (typeof handler !== "string")
    problems.push(problem("handler", "must be a string (a label of your own, such as the name)"));
  return problems;
}

function checkParameters(parameters: unknown, checkSchema: (schema: JsonSchema) => string | null): Problem[] {
  if (!isPlainObject(parameters))
    return [problem("parameters", `must be a JSON Schema object, got ${describeValue(parameters)}`)];
  const type = readOwn(parameters, "type");
  if (type !== "object") return [problem("parameters.type", `must be "object", got ${describeValue(type)}`)];
  const fault = checkSchema(parameters);
  return fault === null ? [] : [problem("parameters", `are not a usable JSON Schema: ${fault}`)];
}

function checkImplementation(implementation: unknown): Problem[] {
  if (!isPlainObject(implementation)) return [problem("implementation", "must be an object with a type")];
  const type = readOwn(implementation, "type");
  switch (type) {
    case "mock":
      return checkMock(implementation);
    case "builtin":
    case "internal": {
      const handler = readOwn(implementation, "handler");
      if (typeof handler === "string" && handler !== "") return [];
      return [problem("implementation.handler", `is required for ${type}: the name of a registered handler`)];
    }
    default:
      return [
        problem(
          "implementation.type",
          `must be one of ${CATALOG_IMPLEMENTATION_TYPES.map((t) => `"${t}"`).join(", ")}, got ${describeValue(type)}`,
        ),
      ];
  }
}

function checkOptions(definition: Record<string, unknown>): Problem[] {
  const problems: Problem[] = [];
  for (const [key, { most }] of Object.entries(LIMIT_KEYS)) {
    const value = readOwn(definition, key);
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > most) {
      problems.push(problem(key, `must be an integer from 1 to ${most}, got ${describeValue(value)}`));
    }
  }
  const approval = readOwn(definition, "approval");
  if (approval !== undefined && approval !== "always" && approval !== "never") {
    problems.push(
      problem(
        "approval",
        `must be "always" or "never" (leave it out to follow the server's policy), got ${describeValue(approval)}`,
      ),
    );
  }
  problems.push(...checkSensitive(readOwn(definition, "sensitive")), ...checkFacts(definition));
  const tags = readOwn(definition, "tags");
  if (tags !== undefined && !(Array.isArray(tags) && tags.every((tag) => typeof tag === "string" && tag !== ""))) {
    problems.push(problem("tags", "must be a list of non-empty strings"));
  }
  const annotations = readOwn(definition, "annotations");
  if (annotations !== undefined && !isPlainObject(annotations))
    problems.push(problem("annotations", "must be an object"));
  else if (isPlainObject(annotations)) {
    for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) {
      const value = readOwn(annotations, hint);
      if (value !== undefined && typeof value !== "boolean")
        problems.push(problem(`annotations.${hint}`, "must be true or false"));
    }
  }
  return problems;
}

function checkSensitive(sensitive: unknown): Problem[] {
  if (sensitive === undefined) return [];
  if (!isPlainObject(sensitive)) return [problem("sensitive", "must be an object with arguments and results")];
  return (["arguments", "results"] as const).flatMap((part) => {
    const paths = readOwn(sensitive, part);
    if (paths === undefined) return [];
    const field = `sensitive.${part}`;
    if (!Array.isArray(paths)) return [problem(field, "must be a list of paths such as /password")];
    if (paths.length > MAX_SENSITIVE_PATHS) return [problem(field, `must be at most ${MAX_SENSITIVE_PATHS} paths`)];
    return paths.flatMap((path: unknown, at) => {
      const isPath = typeof path === "string" && SENSITIVE_PATH_PATTERN.test(path);
      return isPath ? [] : [problem(`${field}[${at}]`, `${SENSITIVE_PATH_RULE}, got ${describeValue(path)}`)];
    });
  });
}

const problem = (path: string, message: string): Problem => ({ path, message });

/** A frozen private copy: executions store it, and caches use its identity as key. */
export function freezeDefinition(definition: ToolDefinition): ToolDefinition {
  return deepFreeze(copyDigits(definition, structuredClone(definition)));
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) deepFreeze(part);
  }
  return value;
}

/** Finds every problem of a mock. */
function checkMock(mock: Record<string, unknown>): Problem[] {
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
  const response = readOwn(rule, "response");
  const error = readOwn(rule, "error");
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
    const min = readOwn(delay, "min");
    const max = readOwn(delay, "max");
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
