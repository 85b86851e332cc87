import { describe, expect, it } from "vitest";
import { readInput, writeInput } from "@/app/_kit/form/draft-input";
import { isFilled, keepsStored, NO_SECRET } from "@/app/_kit/form/secret";
import { toRowPath } from "@/app/_kit/form/secret-fields";
import type { ServerSettings } from "@/lib/contract/server";
import { SERVER_FORM, type ServerDraft } from "./server-fields";

const STDIO: ServerSettings = {
  name: "files",
  title: "Files",
  transport: "stdio",
  protocol: "auto",
  timeoutMs: 5000,
  listTtlMs: 5000,
  command: "npx",
  args: ["-y", "", "two words"],
  env: [
    { name: "TOKEN", value: null },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as it is typed
    { name: "HOME", value: "${HOME}" },
  ],
  cwd: "/srv",
  roots: [{ uri: "file:///srv", name: "data" }],
  approval: "always",
  toolFilter: { mode: "except", names: ["write_file", "move_file"] },
  sampling: { mode: "model", provider: "acme", model: "tiny" },
  credentials: { mode: "personal", slots: [{ name: "GITHUB_TOKEN", label: "GitHub token" }, { name: "TEAM" }] },
};
const draftFrom = (settings?: ServerSettings) => readInput(SERVER_FORM, settings);
const getSettings = (draft: ServerDraft) => writeInput(SERVER_FORM, draft);
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe("the draft of a server's settings", () => {
  it("gives back what it was made from, an empty argument included", () => {
    expect(plain(getSettings(draftFrom(STDIO)))).toEqual(plain(STDIO));
  });

  it.each<Exclude<ServerSettings, { transport: "stdio" }>["auth"]>([
    { type: "client_credentials", clientId: "me", clientSecret: null, scope: "read" },
    { type: "private_key_jwt", clientId: "me", privateKey: null, algorithm: "ES256", scope: "read" },
    { type: "workload_identity", tokenFrom: "file", tokenFile: "/run/token", clientId: "me", scope: "read" },
    { type: "workload_identity", tokenFrom: "variable", tokenVariable: "POD_TOKEN" },
    { type: "cross_app_access", clientId: "me", clientSecret: null, scope: "read" },
    {
      type: "token_exchange",
      issuer: "https://id.example",
      tokenUrl: "https://id.example/token",
      clientId: "me",
      clientSecret: null,
      audience: "docs",
      resource: "https://docs.example",
      scope: "read",
    },
  ])("gives back the sign-in of a remote server: $type", (auth) => {
    const remote: ServerSettings = {
      name: "docs",
      transport: "http",
      protocol: "legacy",
      roots: [],
      url: "https://docs.example/mcp",
      headers: [{ name: "X-Team", value: null }],
      auth,
    };
    expect(plain(getSettings(draftFrom(remote)))).toEqual(remote);
  });

  it("sends null for a stored value until another is typed", () => {
    const draft = draftFrom(STDIO);
    const [token] = draft.env;
    if (token === undefined) throw new Error("no row");
    expect(keepsStored(token)).toBe(true);
    const typed = { ...draft, env: [{ ...token, value: "new" }] };
    expect(getSettings(typed)).toMatchObject({ env: [{ name: "TOKEN", value: "new" }] });
  });

  it("never turns the stored value of a renamed row into an empty one", () => {
    const draft = draftFrom(STDIO);
    const [token] = draft.env;
    if (token === undefined) throw new Error("no row");
    const renamed = { ...token, name: "API_TOKEN" };
    expect(keepsStored(renamed)).toBe(false);
    expect(getSettings({ ...draft, env: [renamed] })).toMatchObject({ env: [{ name: "API_TOKEN", value: null }] });
  });

  it("sends the fields of the chosen transport only, and keeps the others", () => {
    const draft = { ...draftFrom(STDIO), transport: "http" as const, url: " https://a.example/mcp " };
    const settings = getSettings(draft);
    expect(settings).toMatchObject({ transport: "http", url: "https://a.example/mcp", auth: { type: "none" } });
    expect(settings).not.toHaveProperty("command");
    expect(getSettings({ ...draft, transport: "stdio" })).toMatchObject({ command: "npx" });
  });

  it("leaves out empty rows, and knows the position of the others", () => {
    const rows = [NO_SECRET, { name: "A", value: "1" }];
    expect(getSettings({ ...draftFrom(), env: rows })).toMatchObject({ env: [{ name: "A", value: "1" }] });
    expect(toRowPath("env", rows, 1, isFilled)).toBe("env[0]");
    expect(toRowPath("env", rows, 0, isFilled)).toBe("env[]");
  });

  it("sends a value that is not a number, which the server refuses by field name", () => {
    const settings: unknown = getSettings({ ...draftFrom(), timeoutMs: "soon", connectTimeoutMs: " 250 " });
    expect(settings).toMatchObject({ timeoutMs: "soon", connectTimeoutMs: 250 });
  });

  it("keeps an empty list of offered tools, and sends neither policy nor filter where nothing was chosen", () => {
    const none = { ...STDIO, toolFilter: { mode: "only" as const, names: [] } };
    expect(getSettings(draftFrom(none)).toolFilter).toEqual({ mode: "only", names: [] });
    const settings = plain(getSettings({ ...draftFrom(), "toolFilter.names": "left over" }));
    expect(settings).not.toHaveProperty("approval");
    expect(settings).not.toHaveProperty("toolFilter");
  });

  it("brings paths of masked values through the form, those of one tool with its name", () => {
    const sensitive: ServerSettings["sensitive"] = [
      { in: "arguments", path: "/password" },
      { tool: "log in", in: "arguments", path: "/users/*/pin" },
      { in: "results", path: "/content/0/text" },
    ];
    const draft = draftFrom({ ...STDIO, sensitive });
    expect(draft.sensitive.arguments).toBe("/password\nlog in /users/*/pin");
    expect(getSettings(draft).sensitive).toEqual(sensitive);
    expect(plain(getSettings(draftFrom()))).not.toHaveProperty("sensitive");
  });
});
