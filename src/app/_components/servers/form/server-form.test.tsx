// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { serverDetail } from "@/app/_components/servers/summary/server.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ServerSettingsInput } from "@/lib/contract/server";
import { EditServerView } from "./edit-server-view";
import { NewServerView } from "./new-server-view";

interface Given {
  settings: ServerSettingsInput & { command?: string };
}

/** Checks as little as the tests need: a name, and a command. */
function check({ settings }: Given) {
  const problems = [];
  if (settings.name === "") problems.push({ path: "name", message: "is required" });
  if (settings.transport === "stdio" && settings.command === "")
    problems.push({ path: "command", message: "is required" });
  return { problems, notes: [] };
}

function formApi(
  search = "",
  save: (given: Given) => unknown = ({ settings }) => serverDetail({ name: settings.name }),
  more: Parameters<typeof fakeApi>[0] = {},
): FakeApi {
  return fakeApi(
    {
      ...more,
      "servers.checkSettings": check,
      "servers.create": save,
      "servers.update": save,
      "servers.list": () => ({ items: [], problems: [] }),
      "servers.get": () =>
        serverDetail({
          settings: { ...serverDetail().settings, env: [{ name: "TOKEN", value: null }] } as never,
        }),
    },
    search,
  );
}

const field = (name: string) => {
  const input = document.querySelector<HTMLInputElement>(`[data-field="${name}"]`);
  if (input === null) throw new Error(`no field ${name}`);
  return input;
};
const type = (name: string, value: string) => fireEvent.change(field(name), { target: { value } });
const sent = (api: FakeApi, path: string) => api.calls.filter((call) => call.path === path).map(({ input }) => input);
const submit = () => fireEvent.submit(screen.getByRole("form"));

describe("the form of a server", () => {
  it("adds a server that the imported text has switched off as switched off, after a change in the form too", async () => {
    const off = { name: "idle", transport: "stdio" as const, command: "idle-mcp" };
    const found = { servers: [{ name: "idle", enabled: false, settings: off, problems: [], notes: [] }] };
    const api = formApi("?tab=paste", undefined, {
      "servers.parseImport": () => ({ ...found, problems: [], notes: [] }),
    });
    api.render(<NewServerView />);
    fireEvent.change(await screen.findByRole("textbox", { name: "Configuration" }), { target: { value: "{}" } });
    fireEvent.click(await screen.findByRole("button", { name: "Open in the form" }));
    await screen.findByRole("button", { name: /Add disabled/ });
    type("title", "Idle server");
    submit();
    await waitFor(() => expect(sent(api, "servers.create")).toHaveLength(1));
    expect(sent(api, "servers.create")[0]).toMatchObject({
      settings: { name: "idle", title: "Idle server" },
      enabled: false,
    });
  });

  it("sends which values of each user are query parameters of an API", async () => {
    const api = formApi();
    api.render(<NewServerView />);
    fireEvent.click(screen.getByRole("radio", { name: "OpenAPI" }));
    type("name", "pets");
    await waitFor(() => type("url", "https://pets.example"));
    fireEvent.click(screen.getByRole("radio", { name: "Personal" }));
    type("credentials.slots[].name", "api_key");
    fireEvent.change(screen.getByRole("combobox", { name: /^Place of personal/ }), { target: { value: "query" } });
    submit();
    await waitFor(() => expect(sent(api, "servers.create")).toHaveLength(1));
    expect(sent(api, "servers.create")[0]).toMatchObject({
      settings: { credentials: { mode: "personal", slots: [{ name: "api_key", in: "query" }] } },
    });
  });

  it("takes what it suggests from the document that is named now: base URL and tags", async () => {
    const outline = { title: "API", version: "1", openapi: "3.1.0", operations: 1, security: [] };
    const api = formApi("", undefined, {
      "servers.describeDocument": ({ settings }: { settings: { document: { url: string } } }) => {
        const { hostname } = new URL(settings.document.url);
        return { ...outline, baseUrl: `https://${hostname}/v1`, tags: [{ name: hostname, operations: 1 }] };
      },
    });
    api.render(<NewServerView />);
    fireEvent.click(screen.getByRole("radio", { name: "OpenAPI" }));
    await waitFor(() => type("document.url", "https://one.example/api"));
    const read = () => fireEvent.click(screen.getByRole("button", { name: "Read document" }));
    read();
    fireEvent.click(await screen.findByRole("checkbox", { name: /one\.example/ }));
    type("document.url", "https://two.example/api");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Document" })).toBeNull());
    read();
    await waitFor(() => expect(field("url").value).toBe("https://two.example/v1"));
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: /one\.example/ }).checked).toBe(true);
    type("url", "https://own.example");
    type("document.url", "https://three.example/api");
    read();
    await screen.findByRole("checkbox", { name: /three\.example/ });
    expect(field("url").value).toBe("https://own.example");
  });

  it("reads the long document that was just pasted, also while another one is read", async () => {
    const answers: ((title: string) => void)[] = [];
    const api = formApi("", undefined, {
      "servers.describeDocument": () =>
        new Promise((resolve) => {
          const outline = { version: "1", openapi: "3.1.0", operations: 1, security: [], tags: [] };
          answers.push((title) => resolve({ ...outline, title, baseUrl: `https://${title}.example/` }));
        }),
    });
    api.render(<NewServerView />);
    fireEvent.click(screen.getByRole("radio", { name: "OpenAPI" }));
    fireEvent.click(await screen.findByRole("radio", { name: "Paste or upload" }));
    const pasteAndRead = () => {
      type("document.text", `openapi: 3.1.0 #${answers.length}`.padEnd(200_000, "."));
      fireEvent.click(screen.getByRole("button", { name: /^Read/ }));
    };
    pasteAndRead();
    await waitFor(() => expect(answers).toHaveLength(1));
    fireEvent.click(await screen.findByRole("button", { name: "Remove document" }));
    pasteAndRead();
    await waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.("two");
    const shown = await screen.findByRole("region", { name: "Document" });
    answers[0]?.("one");
    await waitFor(() => expect(field("url").value).toBe("https://two.example/"));
    expect(shown.textContent).toContain("two");
    expect(screen.getByText(/Document loaded/)).toBeDefined();
  });

  it("AGT-05 sends the approval policy and the tools that are offered", async () => {
    const api = formApi();
    api.render(<NewServerView />);
    type("name", "files");
    type("command", "npx");
    type("approval", "never");
    fireEvent.click(screen.getByRole("radio", { name: "All except listed" }));
    type("toolFilter.names", " write_file \n\nmove_file");
    submit();
    await waitFor(() => expect(sent(api, "servers.create")).toHaveLength(1));
    expect(sent(api, "servers.create")[0]).toMatchObject({
      settings: { approval: "never", toolFilter: { mode: "except", names: ["write_file", "move_file"] } },
    });
  });

  it("sends the model that answers sampling requests, and nothing for a server that asks", async () => {
    const choice = { provider: "acme", model: "tiny", kind: "openai-compatible", maxTools: null };
    const provider = { name: "acme", kind: "openai-compatible", models: ["tiny"], problem: null };
    const api = formApi("", undefined, {
      "models.choices": () => ({ items: [choice] }),
      "models.providers": () => ({ items: [provider] }),
      "models.available": () => ({ models: ["tiny"], problem: null }),
    });
    api.render(<NewServerView />);
    type("name", "files");
    type("command", "npx");
    fireEvent.click(screen.getByRole("radio", { name: "Use a model" }));
    fireEvent.click(screen.getByRole("button", { name: "Choose a model" }));
    fireEvent.click(await screen.findByRole("option", { name: /tiny/ }));
    submit();
    await waitFor(() => expect(sent(api, "servers.create")).toHaveLength(1));
    expect(sent(api, "servers.create")[0]).toMatchObject({
      settings: { sampling: { mode: "model", provider: "acme", model: "tiny" } },
    });
  });

  it("shows who answers sampling requests of a stored server, and changes it back", async () => {
    const settings = { ...serverDetail().settings, sampling: { mode: "decline" } } as never;
    const api = fakeApi({
      "servers.checkSettings": check,
      "servers.get": () => serverDetail({ settings }),
      "servers.update": () => serverDetail(),
    });
    api.render(<EditServerView name="files" />);
    expect(await screen.findByRole("radio", { name: "Decline", checked: true })).toBeDefined();
    fireEvent.click(within(screen.getByRole("radiogroup", { name: "Sampling" })).getByRole("radio", { name: "Ask" }));
    submit();
    await waitFor(() => expect(sent(api, "servers.update")).toHaveLength(1));
    expect((sent(api, "servers.update")[0] as Given).settings.sampling).toBeUndefined();
  });

  it("takes personal credentials once a sign-in as each call's user is chosen", async () => {
    const api = formApi();
    api.render(<NewServerView />);
    type("name", "files");
    fireEvent.click(screen.getByRole("radio", { name: "Streamable HTTP" }));
    type("url", "https://files.example/mcp");
    fireEvent.click(screen.getByRole("radio", { name: "Identity provider" }));
    type("auth.clientId", "toolroom");
    expect(screen.getByRole<HTMLInputElement>("radio", { name: "Personal" }).checked).toBe(true);
    submit();
    await waitFor(() => expect(sent(api, "servers.create")).toHaveLength(1));
    expect(sent(api, "servers.create")[0]).toMatchObject({
      settings: { auth: { type: "cross_app_access" }, credentials: { mode: "personal" } },
    });
  });

  it("sends what was typed and opens the server's page", async () => {
    const api = formApi();
    api.render(<NewServerView />);
    type("name", "files");
    type("command", "npx");
    fireEvent.click(screen.getByRole("button", { name: "Add argument" }));
    type("args[0]", "two words");
    await screen.findByText("Ready to save");
    submit();
    await waitFor(() => expect(api.visited).toEqual(["/servers/files"]));
    expect(sent(api, "servers.create")).toMatchObject([
      { settings: { name: "files", transport: "stdio", command: "npx", args: ["two words"] } },
    ]);
  });

  it("opens the import with a configuration that is pasted into any field", async () => {
    const found = { servers: [], problems: [], notes: [] };
    const api = formApi("", undefined, { "servers.parseImport": () => found });
    api.render(<NewServerView />);
    const configuration = `{ "mcpServers": { "files": { "command": "npx" } } }`;
    fireEvent.paste(field("name"), { clipboardData: { getData: () => configuration } });
    await waitFor(() => expect(sent(api, "servers.parseImport")).toEqual([{ text: configuration }]));
    expect(screen.getByRole("tab", { name: "Import", selected: true })).toBeTruthy();
  });

  it("takes a pasted command line apart, and puts it together again when asked to", async () => {
    formApi().render(<NewServerView />);
    fireEvent.paste(field("command"), { clipboardData: { getData: () => `KEY=1 npx -y "a b"` } });
    expect([field("command").value, field("args[0]").value, field("args[1]").value]).toEqual(["npx", "-y", "a b"]);
    expect(field("env[0].name").value).toBe("KEY");
    expect(field("env[0].value").type).toBe("password");
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    expect(field("command").value).toBe(`KEY=1 npx -y "a b"`);
    expect(document.querySelector('[data-field="args[0]"]')).toBeNull();
  });

  it("shows one secret at a time", () => {
    formApi().render(<NewServerView />);
    fireEvent.paste(field("command"), { clipboardData: { getData: () => "A=one B=two run" } });
    fireEvent.click(screen.getByRole("button", { name: "Show value of a" }));
    expect([field("env[0].value").type, field("env[1].value").type]).toEqual(["text", "password"]);
    fireEvent.click(screen.getByRole("button", { name: "Show value of b" }));
    expect([field("env[0].value").type, field("env[1].value").type]).toEqual(["password", "text"]);
  });

  it("sends a private key and its algorithm, and shows the key only when asked to", async () => {
    const api = formApi();
    const { container } = api.render(<NewServerView />);
    fireEvent.click(screen.getByRole("radio", { name: "Streamable HTTP" }));
    type("name", "docs");
    type("url", "https://docs.example/mcp");
    fireEvent.click(screen.getByRole("radio", { name: "Private key" }));
    type("auth.clientId", "robot");
    type("auth.privateKey", "-----BEGIN PRIVATE KEY-----");
    type("auth.algorithm", "ES256");
    expect(field("auth.privateKey").type).toBe("password");
    await screen.findByText("Ready to save");
    expect((await axe.run(container)).violations).toEqual([]);
    submit();
    await waitFor(() => expect(api.visited).toEqual(["/servers/docs"]));
    const auth = {
      type: "private_key_jwt",
      clientId: "robot",
      privateKey: "-----BEGIN PRIVATE KEY-----",
      algorithm: "ES256",
    };
    expect(sent(api, "servers.create")).toMatchObject([{ settings: { auth } }]);
  });

  it("shows no problem before an attempt, does not send what is known to be refused, and leads to the first problem", async () => {
    const api = formApi();
    const { container } = api.render(<NewServerView />);
    type("command", "npx");
    await screen.findByText("Not ready to save");
    fireEvent.blur(field("name"));
    expect(field("name").getAttribute("aria-invalid")).toBeNull();
    expect(screen.queryByRole("list", { name: "Problems" })).toBeNull();
    submit();
    await screen.findByText("1 problem");
    await waitFor(() => expect(document.activeElement).toBe(field("name")));
    expect(field("name").getAttribute("aria-invalid")).toBe("true");
    expect(sent(api, "servers.create")).toEqual([]);
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it("leads to the first problem of what was sent before it was checked", async () => {
    const api = formApi("", () => {
      throw new Error("name is required");
    });
    api.render(<NewServerView />);
    type("command", "npx");
    submit();
    await screen.findByText("name is required");
    await waitFor(() => expect(document.activeElement).toBe(field("name")));
    expect(sent(api, "servers.create")).toHaveLength(1);
  });

  it("keeps everything that was typed when the server refuses", async () => {
    const api = formApi("", () => {
      throw new Error("name 'files' is already taken");
    });
    api.render(<NewServerView />);
    type("name", "files");
    type("command", "npx");
    await screen.findByText("Ready to save");
    submit();
    await screen.findByText("name 'files' is already taken");
    expect([field("name").value, field("command").value]).toEqual(["files", "npx"]);
    expect(api.visited).toEqual([]);
  });

  it("keeps a stored value until another is typed over it", async () => {
    const api = formApi();
    api.render(<EditServerView name="files" />);
    await screen.findByText("stored");
    await screen.findByText("Ready to save");
    submit();
    await waitFor(() => expect(sent(api, "servers.update")).toHaveLength(1));
    expect(sent(api, "servers.update")).toMatchObject([
      { name: "files", settings: { env: [{ name: "TOKEN", value: null }] } },
    ]);
  });

  it("replaces a stored value only after it was asked to", async () => {
    const api = formApi();
    api.render(<EditServerView name="files" />);
    fireEvent.click(await screen.findByRole("button", { name: "Replace value of token" }));
    expect(field("env[0].value").placeholder).toBe("stored, leave empty to keep");
    type("env[0].value", "fresh");
    await screen.findByText("Ready to save");
    submit();
    await waitFor(() => expect(sent(api, "servers.update")).toHaveLength(1));
    expect(sent(api, "servers.update")).toMatchObject([{ settings: { env: [{ name: "TOKEN", value: "fresh" }] } }]);
  });

  it("begins with the sample that the address names", () => {
    formApi("?template=zwave").render(<NewServerView />);
    expect([field("name").value, field("command").value, field("args[0]").value]).toEqual([
      "zwave",
      "node",
      "examples/zwave-mcp-server/start.mjs",
    ]);
  });
});

describe("a server form that is left", () => {
  it("restores the draft without header values, environment values and keys, and says so", async () => {
    const api = formApi();
    api.render(<NewServerView />);
    fireEvent.paste(field("command"), {
      clipboardData: { getData: () => "API_KEY=hunter2 npx -y files-mcp --token hunter2 /srv" },
    });
    type("name", "files");
    cleanup();
    expect(JSON.stringify({ ...sessionStorage })).not.toContain("hunter2");

    formApi().render(<NewServerView />);
    await screen.findByText(/Restored your unsaved draft\. Secret values were not kept: enter them again\./);
    expect([field("name").value, field("command").value, field("args[1]").value]).toEqual([
      "files",
      "npx",
      "files-mcp",
    ]);
    expect([field("env[0].name").value, field("env[0].value").value]).toEqual(["API_KEY", ""]);
    expect([field("args[2]").value, field("args[3]").value]).toEqual(["--token", ""]);
    fireEvent.click(screen.getByRole("button", { name: "Discard draft" }));
    expect(field("name").value).toBe("");
  });

  it("keeps an edit, says when the server has changed since, and ends with a save", async () => {
    formApi().render(<EditServerView name="files" />);
    await waitFor(() => expect(field("name").value).toBe("files"));
    type("title", "Team files");
    cleanup();

    const lastEdit = { revision: 7, by: "Ada", at: Date.now() };
    const changed = () => serverDetail({ lastEdit, settings: { ...serverDetail().settings, timeoutMs: 7 } as never });
    const api = fakeApi({
      "servers.checkSettings": check,
      "servers.get": changed,
      "servers.update": changed,
      "servers.list": () => ({ items: [], problems: [] }),
    });
    api.render(<EditServerView name="files" />);
    await screen.findByText(/Ada changed this server after you started editing/);
    expect(field("title").value).toBe("Team files");
    fireEvent.click(screen.getByRole("button", { name: "Merge" }));
    submit();
    await waitFor(() => expect(api.visited).toEqual(["/servers/files"]));
    expect(sessionStorage.length).toBe(0);
  });
});
