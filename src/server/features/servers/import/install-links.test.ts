import { describe, expect, it } from "vitest";
import { openImport } from "./parse-import.test-support";

const parseImport = openImport();
const ref = (inside: string): string => `\${${inside}}`;
const base64 = (value: unknown): string => encodeURIComponent(Buffer.from(JSON.stringify(value)).toString("base64"));
const query = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

async function one(text: string) {
  const { servers, problems } = await parseImport(text);
  expect(problems).toEqual([]);
  expect(servers).toHaveLength(1);
  expect(servers[0]?.problems).toEqual([]);
  return servers[0];
}

const GIT = { type: "stdio", command: "uvx", args: ["mcp-server-git", "a>b??"], env: { A: "ü" } };
const REMOTE = { type: "http", url: "https://mcp.example.com/mcp" };
const INPUTS = [{ type: "promptString", id: "token", description: "A token" }];

describe("install links of editors", () => {
  it.each([
    ["vscode:", `vscode:mcp/install?${query({ name: "git", ...GIT })}`],
    ["vscode-insiders:", `vscode-insiders:mcp/install?${query({ name: "git", ...GIT })}`],
    [
      "the page of VS Code",
      `https://insiders.vscode.dev/redirect/mcp/install?name=git&config=${query(GIT)}&quality=insiders`,
    ],
    [
      "its redirect",
      `https://vscode.dev/redirect?url=${encodeURIComponent(`vscode:mcp/install?${query({ name: "git", ...GIT })}`)}`,
    ],
    ["cursor:", `cursor://anysphere.cursor-deeplink/mcp/install?name=git&config=${base64(GIT)}`],
    ["the page of Cursor", `https://cursor.com/en/install-mcp?name=git&config=${base64(GIT)}`],
    [
      "a badge",
      `[![Install](https://img.example.com/x.svg)](https://cursor.com/install-mcp?name=git&config=${base64(GIT)})`,
    ],
  ])("are read: %s", async (_, link) => {
    expect(await one(link)).toMatchObject({
      name: "git",
      settings: {
        transport: "stdio",
        command: "uvx",
        args: ["mcp-server-git", "a>b??"],
        env: [{ name: "A", value: "ü" }],
      },
    });
  });

  it("name one server once, and several after each other", async () => {
    const link = (host: string) => `https://${host}/redirect/mcp/install?name=far&config=${query(REMOTE)}`;
    const text = `[VS Code](${link("vscode.dev")}) [Insiders](${link("insiders.vscode.dev")})\n\nvscode:mcp/install?${query({ name: "git", ...GIT })}`;
    const { servers } = await parseImport(text);
    expect(servers.map(({ name, settings }) => [name, settings?.transport])).toEqual([
      ["far", "http"],
      ["git", "stdio"],
    ]);
  });

  it("have their inputs as variables, and a command line in 'command' split", async () => {
    const config = { ...REMOTE, headers: { "X-Key": ref("input:token") } };
    const server = await one(
      `https://vscode.dev/redirect/mcp/install?name=far&config=${query(config)}&inputs=${query(INPUTS)}`,
    );
    expect(server?.settings).toMatchObject({ headers: [{ name: "X-Key", value: ref("TOKEN") }] });
    expect(server?.notes.join()).toContain("(A token)");
    const split = await one(
      `cursor://anysphere.cursor-deeplink/mcp/install?name=x&config=${base64({ command: "npx -y 'a b'" })}`,
    );
    expect(split?.settings).toMatchObject({ command: "npx", args: ["-y", "a b"] });
  });

  it("without a configuration are a problem of the text, never a server that was found", async () => {
    const broken = ["https://cursor.com/install-mcp?name=x&config=%%%", "vscode:mcp/install?%7B"];
    const named = "The install link of 'x' has no readable configuration: copy the whole link";
    const unnamed = "The install link has no readable configuration: copy the whole link";
    const both = [expect.stringContaining(named), expect.stringContaining(unnamed)];
    expect(await parseImport(broken.join("\n"))).toMatchObject({ servers: [], problems: both });
    const sound = `vscode:mcp/install?${query({ name: "git", ...GIT })}`;
    const { servers, problems } = await parseImport([...broken, sound].join("\n"));
    expect([servers.map(({ name }) => name), problems]).toEqual([["git"], both]);
    expect((await one("https://cursor.com/mcp"))?.settings).toMatchObject({ url: "https://cursor.com/mcp" });
  });
});

describe("an MCP bundle's manifest", () => {
  it("starts its server with the bundle's folder and options as variables", async () => {
    const manifest = {
      manifest_version: "0.3",
      name: "notes",
      display_name: "Notes",
      version: "1.0.0",
      server: {
        type: "node",
        entry_point: "server/index.js",
        mcp_config: {
          command: "node",
          args: [`${ref("__dirname")}${ref("/")}server/index.js`, `--max=${ref("user_config.max")}`],
          env: { KEY: ref("user_config.api_key") },
        },
      },
      user_config: {
        api_key: { type: "string", title: "API key", sensitive: true },
        max: { type: "number", default: 5 },
      },
    };
    const server = await one(JSON.stringify(manifest));
    expect(server).toMatchObject({
      name: "notes",
      settings: {
        title: "Notes",
        command: "node",
        args: [`${ref("MCPB_DIR")}/server/index.js`, `--max=${ref("MAX:-5")}`],
        env: [{ name: "KEY", value: ref("API_KEY") }],
      },
    });
    expect(server?.notes.join()).toMatch(/MCPB_DIR.*API key/);
  });
});

describe("other spellings", () => {
  it("are those of Goose: its extensions in YAML, without what is a part of Goose", async () => {
    const { servers, problems, notes } = await parseImport(`GOOSE_MODEL: x
extensions:
  developer: {type: builtin, name: developer, enabled: true, timeout: 300}
  fetch:
    type: stdio
    name: fetch
    cmd: uvx
    args: [mcp-server-fetch]
    enabled: true
    envs: {A: "1"}
    env_keys: [FETCH_TOKEN]
    timeout: 300
  far:
    type: streamable_http
    uri: https://mcp.example.com/mcp
    enabled: false
`);
    expect(problems).toEqual([]);
    expect(notes.join()).toContain("'developer' is a part of Goose");
    expect(servers.map(({ name, enabled, settings }) => [name, enabled, settings])).toMatchObject([
      [
        "fetch",
        true,
        {
          command: "uvx",
          timeoutMs: 300_000,
          env: [
            { name: "FETCH_TOKEN", value: ref("FETCH_TOKEN") },
            { name: "A", value: "1" },
          ],
        },
      ],
      ["far", false, { transport: "http", url: "https://mcp.example.com/mcp" }],
    ]);
  });

  it.each([
    ["baseUrl", { mcpServers: { far: { type: "http", baseUrl: REMOTE.url } } }],
    ['type: "url"', { mcpServers: { far: { type: "url", url: REMOTE.url } } }],
    ["server_url", [{ type: "mcp", server_label: "far", server_url: REMOTE.url, require_approval: "never" }]],
    ["a token", { mcp_servers: [{ type: "url", name: "far", url: REMOTE.url, authorization_token: "t0" }] }],
  ])("are an address: %s", async (spelling, config) => {
    const server = await one(JSON.stringify(config));
    const headers = spelling === "a token" ? [{ name: "Authorization", value: "Bearer t0" }] : [];
    expect(server).toMatchObject({ name: "far", settings: { transport: "http", url: REMOTE.url, headers } });
  });

  it("are the commands of Amp", async () => {
    expect(await one("amp mcp add files -- npx -y server-files /srv")).toMatchObject({
      name: "files",
      settings: { command: "npx", args: ["-y", "server-files", "/srv"] },
    });
    expect(await one(`amp mcp add far --header "Authorization=Bearer a=b" ${REMOTE.url}`)).toMatchObject({
      name: "far",
      settings: { url: REMOTE.url, headers: [{ name: "Authorization", value: "Bearer a=b" }] },
    });
  });
});
