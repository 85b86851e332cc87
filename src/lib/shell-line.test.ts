import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { POWERSHELLS, readPowerShell } from "./powershell.test-support";
import { toAsciiJson } from "./quote-for-powershell";
import { toShellLine } from "./shell-line";

const AWKWARD = [
  "'",
  '"',
  "\\",
  "\\\\",
  "$(id)",
  "$env:PATH",
  "`id`",
  "`",
  "!!",
  "\n",
  "*",
  "~",
  "#",
  "&",
  ";",
  "|",
  ",",
  "@",
  "%",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as a shell reads it
  "${HOME}",
  "-",
  "--",
  "--%",
  "-a.b",
  "-a:b",
  " ",
  "\t",
  "\u2018",
  "\u2019",
  "\u201a",
  "\u201b",
  "\u201c",
  "\u2013",
  "\u0085",
  "\u00a0",
  "C:\\My files\\",
  "{",
  "}",
  "(",
  ")",
  "=",
  "1",
  "a",
];
/** No text of a command line has a zero byte, or half of a character. */
const word = fc
  .array(fc.oneof(fc.constantFrom(...AWKWARD), fc.string({ unit: "grapheme" })), { maxLength: 6 })
  .map((parts) => parts.join("").replaceAll("\0", "").toWellFormed());
const words = fc.array(word, { minLength: 1, maxLength: 12 });
const env = fc.dictionary(fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/), word, { maxKeys: 3 });

describe("a line for a terminal", () => {
  it("starts the program with exactly its words and variables in bash and sh, however hostile", () => {
    fc.assert(
      fc.property(words, env, (args, variables) => {
        const own = Object.fromEntries(Object.entries(variables).map(([name, value]) => [`TR_${name}`, value]));
        const script = "process.stdout.write(JSON.stringify([process.argv.slice(1), process.env]))";
        const line = toShellLine("posix", {
          command: process.execPath,
          args: ["-e", script, "--", ...args],
          env: own,
        });
        for (const shell of ["bash", "sh"]) {
          const [got, environment] = JSON.parse(execFileSync(shell, ["-c", line], { encoding: "utf8" }));
          expect(got).toEqual(args);
          expect(environment).toMatchObject(own);
        }
      }),
      { numRuns: 15 },
    );
  }, 60_000);

  it("starts the program with exactly its words and variables in both PowerShells, however hostile", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom("toolroom", "curl.exe", "C:\\Program Files\\nodejs\\node.exe"), word),
        words,
        env,
        (command, args, variables) => {
          fc.pre(command.trim() !== "");
          const line = toShellLine("powershell", { command, args, env: variables });
          for (const version of POWERSHELLS) {
            const environment: Record<string, string> = {};
            expect(readPowerShell(line, version, environment)).toEqual([
              { program: command, words: args, input: null },
            ]);
            expect(environment).toEqual(variables);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is as users write it where nothing needs quotes", () => {
    const command = {
      command: "claude",
      args: ["mcp", "add", "--transport", "http", "toolroom", "http://127.0.0.1:3000/mcp"],
    };
    const plain = "claude mcp add --transport http toolroom http://127.0.0.1:3000/mcp";
    expect([toShellLine("posix", command), toShellLine("powershell", command)]).toEqual([plain, plain]);
    const windows = {
      command: "C:\\node\\node.exe",
      args: ["C:\\it's mine\\toolroom.mjs", "--", "30"],
      env: { A: "b c" },
    };
    expect(toShellLine("powershell", windows)).toBe(
      "$env:A = 'b c'; & 'C:\\node\\node.exe' 'C:\\it''s mine\\toolroom.mjs' '--' '30'",
    );
  });
});

it("JSON in ASCII means what it meant", () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: "binary" }), (json) => {
      const written = toAsciiJson(json);
      expect(written).toMatch(/^[\t\n\r -~]*$/);
      expect(JSON.parse(written)).toEqual(JSON.parse(json));
    }),
  );
});
