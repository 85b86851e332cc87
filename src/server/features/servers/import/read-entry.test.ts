import { describe, expect, it } from "vitest";
import { readConfigEntry, readEntry } from "./read-entry";

const ref = (inside: string): string => `\${${inside}}`;

describe("the section of the configuration file", () => {
  it("is read like any other, with Toolroom's own fields, and what means nothing is passed over", async () => {
    const found = readConfigEntry("files", {
      command: "npx",
      args: ["-y", "x"],
      env: { TOKEN: ref("TOKEN") },
      timeoutMs: 5000,
      roots: [{ uri: "file:///tmp" }],
      alwaysAllow: ["x"],
    });
    expect(found).toEqual({
      problems: [],
      settings: {
        name: "files",
        transport: "stdio",
        command: "npx",
        args: ["-y", "x"],
        env: [{ name: "TOKEN", value: ref("TOKEN") }],
        timeoutMs: 5000,
        roots: [{ uri: "file:///tmp" }],
      },
    });
  });

  it("AGT-05 takes approval policy and tool lists, and leaves a bare $NAME as text", () => {
    const found = readConfigEntry("files", {
      type: "local",
      command: ["npx", "-y", "x"],
      env: { A: "$HOME" },
      approval: "always",
      disabledTools: ["write"],
      autoApprove: ["read"],
    });
    expect(found).toMatchObject({
      problems: [],
      settings: {
        command: "npx",
        env: [{ name: "A", value: "$HOME" }],
        approval: "always",
        toolFilter: { mode: "except", names: ["write"] },
      },
    });
    const odd = readConfigEntry("files", { command: "x", approval: "sometimes" });
    expect(odd.problems).toEqual([expect.stringMatching(/^approval: /)]);
  });

  it("takes who answers sampling requests from the configuration, and from no imported text", () => {
    const sampling = { mode: "model", provider: "demo", model: "demo" };
    const entry = { command: "x", sampling };
    expect(readConfigEntry("files", entry)).toMatchObject({ problems: [], settings: { sampling } });
    const imported = readEntry("files", entry);
    expect(imported.settings).not.toHaveProperty("sampling");
    expect(imported.unknown).toEqual(["sampling"]);
    const odd = readConfigEntry("files", { command: "x", sampling: { mode: "model", provider: "demo" } });
    expect(odd.problems).toEqual(["sampling.model: is required: the model that answers"]);
  });

  it("changes no name, and refuses one that cannot be a prefix", async () => {
    const found = readConfigEntry("my__files", { command: "x" });
    expect(found.settings).toBeNull();
    expect(found.problems).toEqual([expect.stringMatching(/^name: 'my__files' must be 1–64 letters.*: rename it$/)]);
    expect(readConfigEntry("files", "npx").problems).toEqual(['The server must be an object with "command" or "url"']);
    expect(readConfigEntry("files", { command: "x", timeoutMs: "5s" }).problems).toEqual([
      expect.stringMatching(/^timeoutMs: /),
    ]);
  });
});
