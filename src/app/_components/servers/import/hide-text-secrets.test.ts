import { describe, expect, it } from "vitest";
import type { ServerSettingsInput } from "@/lib/contract/server";
import { hideTextSecrets } from "./hide-text-secrets";

function hide(text: string, ...settings: ServerSettingsInput[]): string {
  const servers = settings.map((each) => ({ name: "a", enabled: true, settings: each, problems: [], notes: [] }));
  return hideTextSecrets(text, { servers, problems: [], notes: [] });
}

describe("a pasted configuration without its secrets", () => {
  it("hides environment values, headers and keys wherever they stand alone, in JSON, YAML and commands", () => {
    const local: ServerSettingsInput = {
      name: "a",
      transport: "stdio",
      command: "x",
      env: [{ name: "K", value: 'se"cret' }],
    };
    expect(hide(JSON.stringify({ K: 'se"cret' }), local)).toBe('{"K":"••••••"}');
    const remote: ServerSettingsInput = {
      name: "a",
      transport: "http",
      url: "https://host/?key=abcd",
      headers: [{ name: "X-One", value: "word" }],
      auth: { type: "client_credentials", clientId: "id", clientSecret: "topsecret" },
    };
    const text = "url: https://host/?key=abcd\nX-One: word\nother: wordy\nclientSecret: topsecret";
    expect(hide(text, remote)).toBe("url: https://host/?key=••••••\nX-One: ••••••\nother: wordy\nclientSecret: ••••••");
  });

  it("hides a token that became a header, and what an install link encodes", () => {
    const remote: ServerSettingsInput = {
      name: "a",
      transport: "http",
      url: "https://host/mcp",
      headers: [{ name: "Authorization", value: "Bearer topsecret" }],
    };
    expect(hide('shttp_servers = [{ url = "https://host/mcp", key = "topsecret" }]', remote)).toBe(
      'shttp_servers = [{ url = "https://host/mcp", key = "••••••" }]',
    );
    const link = `lmstudio://add_mcp?name=a&config=${btoa(JSON.stringify(remote))}`;
    expect(hide(link, remote)).toBe("lmstudio://add_mcp?name=a&config=••••••");
    expect(hide(link, { ...remote, headers: [] })).toBe(link);
  });

  it("hides what is named like a secret where no server was read", () => {
    expect(hide('{"env": {"GITHUB_TOKEN": "abc", "MODE": "fast"}}')).toBe(
      '{"env": {"GITHUB_TOKEN": "••••••", "MODE": "fast"}}',
    );
    expect(hide("docker run -e API_KEY=abc -e MODE=fast image")).toBe(
      "docker run -e API_KEY=•••••• -e MODE=fast image",
    );
  });
});
