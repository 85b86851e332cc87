// `npm run -s openapi`: prints the OpenAPI document of this state; `npm run openapi -- <file>`: compares it with a document that was kept
// before a change, prints the pointer of each difference, and exits with 1 where there is one.
import { readFileSync } from "node:fs";
import { describeApi } from "../src/server/main/api/rest/openapi";
import { ROUTES } from "../src/server/main/api/rest/routes";

const [file] = process.argv.slice(2);
const now: unknown = JSON.parse(JSON.stringify(describeApi(ROUTES, "0.0.0")));

/** Each value that differs, by its pointer. The order of keys means nothing. */
function* compare(before: unknown, after: unknown, pointer = ""): Generator<string> {
  if (Array.isArray(before) && Array.isArray(after) && [...before, ...after].every(isNamed)) {
    yield* compare(byName(before), byName(after), pointer);
  } else if (isObject(before) && isObject(after)) {
    for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
      yield* compare(before[key], after[key], `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    }
  } else if (JSON.stringify(before) !== JSON.stringify(after)) {
    yield `${pointer}\n  before: ${JSON.stringify(before) ?? "absent"}\n  after:  ${JSON.stringify(after) ?? "absent"}`;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
/** Parameters, whose order means nothing either. */
const isNamed = (value: unknown): value is { name: string } => isObject(value) && typeof value.name === "string";
const byName = (list: { name: string }[]) => Object.fromEntries(list.map((each) => [each.name, each]));

if (file === undefined) console.log(JSON.stringify(now, null, 2));
else {
  const differences = [...compare(JSON.parse(readFileSync(file, "utf8")), now)];
  for (const each of differences) console.log(each);
  console.log(`${differences.length} differences`);
  process.exitCode = differences.length === 0 ? 0 : 1;
}
