import { InvalidArgumentError } from "commander";
import { stripControlCharacters } from "../../lib/strip-control-characters";

export interface ReportedSuite {
  name: string;
  cases: readonly {
    name: string;
    seconds?: number;
    /** Why it failed; null for one that passed. */
    failure: string | null;
  }[];
}

/** Results as JUnit XML, which systems of continuous integration read. */
export function formatReport(name: string, suites: readonly ReportedSuite[]): string {
  const lines = suites.flatMap((suite) => {
    const failures = suite.cases.filter(({ failure }) => failure !== null).length;
    const attributes = toAttributes({ name: suite.name, tests: suite.cases.length, failures });
    return [`  <testsuite${attributes}>`, ...suite.cases.map((each) => formatCase(name, each)), "  </testsuite>"];
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${toAttributes({ name })}>\n${lines.join("\n")}\n</testsuites>\n`;
}

function formatCase(classname: string, { name, seconds = 0, failure }: ReportedSuite["cases"][number]): string {
  const attributes = toAttributes({ name, classname, time: seconds.toFixed(3) });
  if (failure === null) return `    <testcase${attributes}/>`;
  return `    <testcase${attributes}><failure${toAttributes({ message: failure })}/></testcase>`;
}

function toAttributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join("");
}

const SIGNS: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
};

/** Characters that XML does not have are left out. */
function escapeXml(text: string): string {
  const plain = stripControlCharacters(text)
    .toWellFormed()
    .replace(/[\u{fffe}\u{ffff}]/gu, "");
  return plain.replace(/[&<>"\n]/g, (sign) => SIGNS[sign] ?? sign);
}

/** For an option that says the least share of right answers. */
export function parseRate(text: string): number {
  const rate = Number(text);
  if (text.trim() !== "" && rate >= 0 && rate <= 1) return rate;
  throw new InvalidArgumentError("It must be a number from 0 to 1.");
}
