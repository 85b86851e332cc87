import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { asJson, toCurl, toMcpCall, toServerCall } from "./copy-formats";

const AWKWARD = `{"text":"it's \\"quoted\\" $HOME \`date\` \\\\ !","id":12345678901234567890,"__proto__":{"a":1}}`;

/** Returns the command's words as a shell splits them, with curl replaced by a program that prints them. */
function splitWords(command: string): string[] {
  const printing = command.replace(/^curl /, "printf '%s\\0' ");
  return execFileSync("sh", ["-c", printing], { encoding: "utf8" }).split("\0").slice(0, -1);
}

describe("toCurl", () => {
  it("reaches the run procedure with exactly the arguments of the call, whatever characters are in them", () => {
    const words = splitWords(
      toCurl(executionDetail({ toolName: "echo", argumentsText: AWKWARD }), "http://127.0.0.1:3000"),
    );
    expect(words.slice(0, -1)).toEqual([
      "-sS",
      "-X",
      "POST",
      "http://127.0.0.1:3000/api/trpc/executions.run",
      "-H",
      "content-type: application/json",
      "--data-raw",
    ]);
    expect(JSON.parse(words.at(-1) ?? "")).toEqual({ json: { tool: "echo", argumentsText: AWKWARD } });
  });

  it("skips the check of the arguments only where the call did", () => {
    const body = splitWords(toCurl(executionDetail({ validationSkipped: true }), "http://localhost")).at(-1) ?? "";
    expect(JSON.parse(body).json.skipValidation).toBe(true);
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
