import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { POWERSHELLS, readPowerShell } from "@/lib/powershell.test-support";
import type { Shell } from "@/lib/shell-line";
import { asJson, listPrograms, toMcpCall, toServerCall } from "./copy-formats";

const AWKWARD = `{"text":"it's \\"quoted\\" $HOME \`date\` \\\\ !","id":12345678901234567890,"__proto__":{"a":1}}`;

const ORIGIN = "http://127.0.0.1:3000";
const TOKEN = "trm_of-the-environment";

/** Returns the command's words as bash splits them, with the program replaced by one that prints them. */
function splitWords(command: string): string[] {
  const printing = command.replace(/^(curl|toolroom) /, "printf '%s\\0' $1 ");
  const env = { ...process.env, TOOLROOM_API_TOKEN: TOKEN };
  return execFileSync("bash", ["-c", printing], { encoding: "utf8", env }).split("\0").slice(0, -1);
}

function format(label: string, argumentsText: string, toolName = "echo", shell: Shell = "posix"): string {
  const call = executionDetail({ toolName, argumentsText });
  return (
    listPrograms(call, shell)
      .find((program) => program.label === label)
      ?.format(ORIGIN) ?? ""
  );
}

/** The arguments that a program's text has between two marks, as its own parser reads them. */
const evaluate = (text: string): unknown => new Function(`return (${text})`)();

describe("listPrograms", () => {
  it("has a command line and curl that reach the tool with exactly the arguments of the call", () => {
    expect(splitWords(format("command line", AWKWARD))).toEqual(["toolroom", "call", "echo", AWKWARD]);
    expect(splitWords(format("curl", AWKWARD))).toEqual([
      "curl",
      "-sS",
      "-X",
      "POST",
      `${ORIGIN}/api/v1/tools/echo/execute`,
      "-H",
      `Authorization: Bearer ${TOKEN}`,
      "-H",
      "content-type: application/json",
      "--data-raw",
      `{"arguments":${AWKWARD}}`,
    ]);
    expect(format("curl", AWKWARD)).not.toContain("trm_");
  });

  it("keeps hostile names and arguments inside their words, in bash, TypeScript and Python", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 1 }),
        fc.dictionary(fc.string(), fc.string()),
        (name, value) => {
          const tool = `${name.replaceAll("\0", "").toWellFormed()}'$(id)`;
          // biome-ignore lint/suspicious/noTemplateCurlyInString: hostile text
          const args = JSON.stringify({ ...value, "'; id #": '"""\\`${id}' });
          expect(splitWords(format("command line", args, tool))).toEqual(["toolroom", "call", tool, args]);
          expect(splitWords(format("curl", args, tool)).at(-1)).toBe(`{"arguments":${args}}`);
          const [, written = ""] = /callTool\((.*)\);\nconsole/.exec(format("TypeScript", args, tool)) ?? [];
          expect(evaluate(written)).toEqual({ name: tool, arguments: JSON.parse(args) });
          const [, first = "", second = ""] =
            /call_tool\((".*"), json\.loads\((".*")\)\)\n/.exec(format("Python", args, tool)) ?? [];
          expect([JSON.parse(first), JSON.parse(second)]).toEqual([tool, args]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("reaches the tool with the meaning of its arguments from both PowerShells, which take quotes out of words", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })),
        (name, value) => {
          const tool = `a${name.replaceAll("\0", "").toWellFormed()}`;
          const args = JSON.stringify({ ...value, "\u2019; id #": '"""\\`$(id) \n' }, null, 2);
          for (const version of POWERSHELLS) {
            const read = (label: string) =>
              readPowerShell(format(`${label} (PowerShell)`, args, tool, "powershell"), version, {
                TOOLROOM_API_TOKEN: TOKEN,
              });
            const [line, ...more] = read("command line");
            expect([more, line]).toMatchObject([[], { program: "toolroom", words: ["call", tool, "-"] }]);
            const [curl, ...others] = read("curl");
            const address = `${ORIGIN}/api/v1/tools/${encodeURIComponent(tool)}/execute`;
            const headers = ["-H", `Authorization: Bearer ${TOKEN}`, "-H", "content-type: application/json"];
            const words = ["-sS", "-X", "POST", address, ...headers, "--data-binary", "@-"];
            expect([others, curl]).toMatchObject([[], { program: "curl.exe", words }]);
            for (const input of [line?.input, curl?.input]) expect(input).toMatch(/^[\t\n\r -~]*$/);
            expect(JSON.parse(line?.input ?? "")).toEqual(JSON.parse(args));
            expect(JSON.parse(curl?.input ?? "")).toEqual({ arguments: JSON.parse(args) });
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  it("sets no prototype in TypeScript", () => {
    const [, written = ""] = /callTool\((.*)\);\nconsole/.exec(format("TypeScript", AWKWARD)) ?? [];
    expect(Object.keys((evaluate(written) as { arguments: object }).arguments)).toContain("__proto__");
  });

  it("offers none where the arguments are no object", () => {
    for (const argumentsText of ["{oops", "[1]", '"text"'])
      expect(listPrograms(executionDetail({ argumentsText }), "posix")).toEqual([]);
  });
});

describe("asJson", () => {
  it("keeps the text of arguments and result, with digits that JavaScript numbers lose", () => {
    const text = asJson(executionDetail({ argumentsText: AWKWARD, resultText: '{"n":98765432109876543210}' }));
    expect(JSON.parse(text)).toMatchObject({ tool: "get_weather", status: "succeeded" });
    expect(text).toContain(`"arguments": ${AWKWARD}`);
    expect(text).toContain('"result": {"n":98765432109876543210}');
  });

  it("is JSON also where arguments are broken or the result was cut", () => {
    const copied = JSON.parse(
      asJson(executionDetail({ argumentsText: "{oops", resultText: '{"a": [1', resultTruncated: true, error: "no" })),
    );
    expect(copied).toMatchObject({
      arguments_text: "{oops",
      result_text: '{"a": [1',
      result_truncated: true,
      error: "no",
    });
  });
});

describe("toMcpCall", () => {
  it("is a tools/call request with the call's own arguments", () => {
    const message = toMcpCall(executionDetail({ toolName: "echo", argumentsText: AWKWARD }));
    expect(message).toContain(AWKWARD);
    expect(JSON.parse(message)).toMatchObject({ jsonrpc: "2.0", method: "tools/call", params: { name: "echo" } });
  });

  it("RTE-01 names a server's tool as the catalog does, and for its own server as that does", () => {
    const definition = executionDetail().definition;
    const call = executionDetail({
      toolName: "files__read_file",
      argumentsText: AWKWARD,
      definition: definition && { ...definition, implementation: { type: "mcp", server: "files", tool: "read_file" } },
    });
    expect(JSON.parse(toMcpCall(call)).params.name).toBe("files__read_file");
    expect(JSON.parse(toServerCall(call) ?? "").params.name).toBe("read_file");
    expect(toServerCall(call)).toContain(AWKWARD);
    expect(toServerCall(executionDetail())).toBeNull();
  });
});
