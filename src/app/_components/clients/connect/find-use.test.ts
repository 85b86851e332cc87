import { describe, expect, it } from "vitest";
import type { ClientUse } from "@/lib/contract/client";
import type { ClientTransport } from "@/lib/contract/client-transport";
import { findUse } from "./find-use";

const use = (transport: ClientTransport, calledAt: number | null, address = "/mcp"): ClientUse => ({
  transport,
  address,
  seenAt: 100,
  calls: calledAt === null ? 0 : 1,
  lastCall: calledAt === null ? null : { id: `exec_${calledAt}`, tool: "echo", at: calledAt },
});
const client = (name: string, ...uses: ClientUse[]) => ({ id: `id of ${name}`, name, uses });

describe("the use that shows whether a configuration works", () => {
  it("is of a client with one of the names that the program sends", () => {
    const clients = [
      ["cursor-vscode", "cursor"],
      ["claude-code", "claude-code"],
      ["claude-ai", "claude-desktop"],
      ["Visual Studio Code", "vscode"],
      ["Visual Studio", "visualstudio"],
      ["codex-mcp-client", "codex"],
      ["gemini-cli-mcp-client", "gemini"],
      ["windsurf-client", "windsurf"],
      ["Roo Code", "roo"],
      ["lm-studio", "lmstudio"],
      ["Q DEV CLI", "amazonq"],
      ["my-agent", "other"],
    ] as const;
    for (const [name, id] of clients) {
      const others = clients.filter(([other]) => other !== name).map(([other]) => client(other, use("http", 50)));
      expect(findUse(others, { client: id, transport: "http" }), name).toBeNull();
      const found = findUse([...others, client(name, use("http", 9))], { client: id, transport: "http" });
      expect(found?.clientId, name).toBe(`id of ${name}`);
    }
    expect(findUse(undefined, { client: "cursor", transport: "http" })).toBeUndefined();
  });

  it("is over the transport of the configuration alone, whatever came over the other one", () => {
    const clients = [client("cursor", use("http", 50), use("stdio", null))];
    expect(findUse(clients, { client: "cursor", transport: "stdio" })).toMatchObject({ lastCall: null });
    expect(findUse(clients, { client: "cursor", transport: "http" })).toMatchObject({ lastCall: { id: "exec_50" } });
    expect(findUse([client("cursor", use("http", 50))], { client: "cursor", transport: "stdio" })).toBeNull();
  });

  it("is at the address of the chosen part, and the one with the newest call", () => {
    const plain = use("http", 70, "/mcp/files?names=plain");
    const clients = [client("cursor", use("http", 50)), client("cursor-vscode", plain, use("http", 60, "/mcp/sets/a"))];
    const at = (part: object) => findUse(clients, { client: "cursor", transport: "http", ...part })?.lastCall?.id;
    expect(at({})).toBe("exec_70");
    expect(at({ server: "files" })).toBe("exec_70");
    expect(at({ toolset: "a" })).toBe("exec_60");
    expect(at({ server: "a" })).toBeUndefined();
  });
});
