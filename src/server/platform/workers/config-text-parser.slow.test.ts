import { afterAll, describe, expect, it } from "vitest";
import type { ConfigText } from "../../engine/mcp-ports";
import { createConfigTextParser } from "./config-text-parser";

const bounds = { maxDepth: 100, maxEntries: 5000, maxChars: 4_000_000 };
const open = (limitMs: number) => {
  const parser = createConfigTextParser({ home: process.cwd(), limitMs });
  afterAll(() => parser.close());
  return parser;
};
/** Counts the turns of this thread's event loop until the answer. */
async function parseBeside(parser: ReturnType<typeof open>, format: ConfigText["format"], text: string) {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const answer = await parser.parse({ format, text, bounds });
  clearInterval(timer);
  return { answer, turns };
}
const repeat = (part: string): string => part.repeat(990_000 / part.length);
const TIMEOUT_MS = 60_000;

describe("a hostile text of a million characters ends while this thread continues", () => {
  const parser = open(1000);
  it.each([
    ["a list on one line", "yaml", `a: [${repeat("x,")}]`],
    ["empty maps on one line", "yaml", `a: [${repeat("{},")}]`],
    ["tags on lines of their own", "yaml", `a: ${repeat("!\n")}`],
    ["escapes that are none", "yaml", `a: "${repeat("\\x")}`],
    ["nested sequences on every line", "yaml", repeat(`${"- ".repeat(31)}x\n`)],
    ["chained aliases", "yaml", Array.from({ length: 20_000 }, (_, at) => `a${at}: &a${at} [*a${at - 1}]`).join("\n")],
    ["tables", "toml", Array.from({ length: 60_000 }, (_, at) => `[a${at}]`).join("\n")],
    ["commas", "json", `[${repeat(",")}`],
  ] as const)("%s", { timeout: TIMEOUT_MS }, async (_, format, text) => {
    const { answer, turns } = await parseBeside(parser, format, text);
    expect(answer).not.toHaveProperty("json");
    expect(turns).toBeGreaterThan(10);
    // The next text gets a new process where this one ended.
    expect(await parser.parse({ format, text: format === "toml" ? "a = 1" : '{"a": 1}', bounds })).toEqual({
      json: '{"a":1}',
      notes: [],
    });
  });
});

it("a text that takes longer than the limit is refused with the limit", async () => {
  const text = `a: "${repeat("\\x")}`;
  expect(await open(100).parse({ format: "yaml", text, bounds })).toEqual({ unread: "it takes longer than 0.1 s" });
});

it("a text that takes more memory than the bound is refused with the reason", { timeout: TIMEOUT_MS }, async () => {
  const text = `a: [${repeat("x,")}]`;
  expect(await open(TIMEOUT_MS).parse({ format: "yaml", text, bounds })).toEqual({
    unread: "it is nested too deeply, or takes too much memory",
  });
});

it("two hundred servers in almost a million characters are read in every format", { timeout: TIMEOUT_MS }, async () => {
  const parser = open(TIMEOUT_MS);
  const variables = Array.from({ length: 200 }, (_, at) => [`KEY_${at}`, `value ${at}`] as const);
  const servers = Array.from({ length: 200 }, (_, at) => `s${at}`);
  const env = Object.fromEntries(variables);
  const value = { servers: Object.fromEntries(servers.map((name) => [name, { env }])) };
  const texts = {
    json: JSON.stringify(value).replace(/\}$/, ",}"),
    yaml: `servers:\n${servers.map((name) => `  ${name}:\n    env:\n${variables.map(([key, text]) => `      ${key}: ${text}\n`).join("")}`).join("")}`,
    toml: servers
      .map((name) => `[servers.${name}.env]\n${variables.map(([key, text]) => `${key} = '${text}'\n`).join("")}`)
      .join(""),
  };
  for (const format of ["json", "yaml", "toml"] as const) {
    const answer = await parser.parse({ format, text: texts[format], bounds });
    expect("json" in answer && JSON.parse(answer.json)).toEqual(value);
  }
});
