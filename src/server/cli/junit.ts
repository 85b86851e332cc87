import { stripControlCharacters } from "../../lib/strip-control-characters";

type Attributes = Readonly<Record<string, string | number | undefined>>;

export interface JunitCase {
  name: string;
  classname: string;
  seconds?: number;
  /** Absent for a case that passed without output. */
  outcome?: { element: "failure" | "error" | "skipped" | "system-out"; attributes?: Attributes; text?: string };
}

export interface JunitSuite {
  name: string;
  cases: readonly JunitCase[];
  /** ISO 8601. */
  timestamp?: string;
  seconds?: number;
  /** Why the suite ended without results for all of its cases; counts as an error. */
  broken?: string | null;
}

/** Results as JUnit XML, which systems of continuous integration read. */
export function formatJunit(name: string, suites: readonly JunitSuite[]): string {
  const counts = suites.map(countSuite);
  const sum = (key: keyof (typeof counts)[number]): number => counts.reduce((all, each) => all + each[key], 0);
  const totals = { tests: sum("tests"), failures: sum("failures"), errors: sum("errors"), skipped: sum("skipped") };
  const body = suites.map(formatSuite).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${toAttributes({ name, ...totals })}>\n${body}</testsuites>\n`;
}

function countSuite({ cases, broken = null }: JunitSuite) {
  const count = (element: string): number => cases.filter(({ outcome }) => outcome?.element === element).length;
  const errors = count("error") + (broken === null ? 0 : 1);
  return { tests: cases.length, failures: count("failure"), errors, skipped: count("skipped") };
}

function formatSuite(suite: JunitSuite): string {
  const { name, cases, timestamp, seconds, broken = null } = suite;
  const attributes = toAttributes({ name, ...countSuite(suite), timestamp, time: seconds?.toFixed(3) });
  const end = broken === null ? "" : `    <system-err>${escapeXml(broken)}</system-err>\n`;
  return `  <testsuite${attributes}>\n${cases.map(formatCase).join("")}${end}  </testsuite>\n`;
}

function formatCase({ name, classname, seconds = 0, outcome }: JunitCase): string {
  const head = `    <testcase${toAttributes({ name, classname, time: seconds.toFixed(3) })}`;
  if (outcome === undefined) return `${head}/>\n`;
  const { element, attributes = {}, text = "" } = outcome;
  const body = text === "" ? "/>" : `>${escapeXml(text)}</${element}>`;
  return `${head}><${element}${toAttributes(attributes)}${body}</testcase>\n`;
}

function toAttributes(values: Attributes): string {
  return Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value)).replaceAll("\n", "&#10;")}"`)
    .join("");
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;" };

/** Characters that XML cannot hold are replaced or left out. */
function escapeXml(text: string): string {
  const plain = stripControlCharacters(text).toWellFormed();
  return plain.replace(/[&<>"'\u{fffe}\u{ffff}]/gu, (sign) => ENTITIES[sign] ?? "");
}
