import { describe, expect, it } from "vitest";
import { hideAddressSecrets, hideSecretArguments } from "./hide-secrets";

const hidden = (...args: string[]) => hideSecretArguments(args, "•");

describe("secrets in a command's arguments", () => {
  it("hides the value after an option that is named like a secret, and keeps the names", () => {
    expect(hidden("-y", "pkg", "--api-key", "abc", "--token=abc", "--root", "/srv")).toEqual([
      "-y",
      "pkg",
      "--api-key",
      "•",
      "--token=•",
      "--root",
      "/srv",
    ]);
    expect(hidden("--header", "Authorization: Bearer abc", "-e", "GITHUB_TOKEN=abc", "-e", "MODE=fast")).toEqual([
      "--header",
      "Authorization: •",
      "-e",
      "GITHUB_TOKEN=•",
      "-e",
      "MODE=fast",
    ]);
  });

  it("hides well-known keys and long random texts wherever they are", () => {
    const random = "a1".repeat(20);
    expect(hidden("sk-abc123", "ghp_abc", `--seed=${random}`, random)).toEqual(["•", "•", "--seed=•", "•"]);
  });

  it("shows references, numbers, packages and paths", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references to variables
    const args = ["--token", "${TOKEN}", "--max-tokens", "500", "@scope/server-files@1.2.3", "C:\\keys", "monkey=1"];
    expect(hidden(...args)).toEqual(args);
  });
});

describe("secrets in an address", () => {
  it("hides passwords and query values that look like secrets", () => {
    const hide = (address: string) => hideAddressSecrets(address, "•");
    expect(hide("https://ada:pw@host/mcp?api_key=abc&page=2#x")).toBe("https://•@host/mcp?api_key=•&page=2#x");
    // biome-ignore lint/suspicious/noTemplateCurlyInString: references to variables
    for (const address of ["https://host/mcp", "https://host/?token=${TOKEN}", "not an address", ""]) {
      expect(hide(address)).toBe(address);
    }
  });
});
