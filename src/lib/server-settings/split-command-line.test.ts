import { describe, expect, it } from "vitest";
import { splitCommandLine } from "./split-command-line";

const words = (text: string) => {
  const line = splitCommandLine(text);
  return line === null ? null : [line.command, ...line.args];
};

describe("a pasted command line", () => {
  it("is split at white space into program and arguments", () => {
    expect(words("  npx  -y @scope/server-files\t/srv \n")).toEqual(["npx", "-y", "@scope/server-files", "/srv"]);
  });

  it("keeps a quoted text as one argument, even an empty one", () => {
    expect(words(`run "two words" 'it is' "" pre"fix"ed`)).toEqual(["run", "two words", "it is", "", "prefixed"]);
  });

  it("reads escapes in double quotes and takes single quotes as they are", () => {
    expect(words(String.raw`run "{\"a\": \"C:\\x\"}" '{"b": "\n"}'`)).toEqual([
      "run",
      String.raw`{"a": "C:\x"}`,
      String.raw`{"b": "\n"}`,
    ]);
  });

  it("escapes white space and line ends, and leaves the backslashes of paths alone", () => {
    expect(words(String.raw`C:\tools\server.exe --dir C:\data\two\ words`)).toEqual([
      String.raw`C:\tools\server.exe`,
      "--dir",
      String.raw`C:\data\two words`,
    ]);
    expect(words("docker run \\\n  --rm image")).toEqual(["docker", "run", "--rm", "image"]);
  });

  it("takes assignments before the program as environment", () => {
    expect(splitCommandLine(`API_KEY='a b' DEBUG=1 node server.mjs KEY=value`)).toEqual({
      env: [
        { name: "API_KEY", value: "a b" },
        { name: "DEBUG", value: "1" },
      ],
      command: "node",
      args: ["server.mjs", "KEY=value"],
    });
  });

  it("is refused when a quote is open or nothing is to be run", () => {
    expect(splitCommandLine(`node "server.mjs`)).toBeNull();
    expect(splitCommandLine("A=1")).toBeNull();
    expect(splitCommandLine("  ")).toBeNull();
  });
});
