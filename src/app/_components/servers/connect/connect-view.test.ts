import { describe, expect, it } from "vitest";
import { pickCall, pickClient } from "./connect-view";

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

describe("the client of a configuration", () => {
  it("is the one that the page Clients has seen last, at the chosen address", () => {
    const seen = (name: string, seenAt: number, address = "/mcp") => ({
      id: `${name} ${seenAt}`,
      name,
      version: "1",
      seenAt,
      addresses: [address],
    });
    const clients = [seen("cursor", 5), seen("claude-code", 3), seen("claude-code", 9, "/mcp/files?names=plain")];
    expect(pickClient(clients, "claude-code", {})?.seenAt).toBe(9);
    expect(pickClient(clients, "claude-code", { server: "files" })?.seenAt).toBe(9);
    expect(pickClient(clients, "cursor", { server: "files" })).toBeNull();
    expect(pickClient(clients, "goose", {})).toBeNull();
    expect(pickClient(undefined, "cursor", {})).toBeUndefined();
  });
});
