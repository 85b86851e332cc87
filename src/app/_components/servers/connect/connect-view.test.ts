import { describe, expect, it } from "vitest";
import { pickCall } from "./connect-view";

const call = (client: string | null) => ({ client });

describe("the first call of a client", () => {
  it("is recognized by the name that the program gives, and is its newest", () => {
    const calls = [call("cursor-vscode/1.0.0"), call("claude-code/2.1.0"), call("claude-code/2.0.0")];
    expect(pickCall(calls, "claude-code")).toBe(calls[1]);
    expect(pickCall(calls, "cursor")).toBe(calls[0]);
    expect(pickCall(calls, "claude-desktop")).toBeNull();
    expect(pickCall([call("claude-ai/0.1.0")], "claude-desktop")).not.toBeNull();
    expect(pickCall([call("Visual Studio Code/1.106.0")], "vscode")).not.toBeNull();
  });

  it("of any other client is a call that no known program made", () => {
    expect(pickCall([call("goose/1.0.0")], "http")).toBeNull();
    expect(pickCall([call("goose/1.0.0"), call("my-agent/1.0.0")], "http")).toEqual({ client: "my-agent/1.0.0" });
    expect(pickCall([call(null)], "stdio")).not.toBeNull();
    expect(pickCall(undefined, "stdio")).toBeUndefined();
  });
});
