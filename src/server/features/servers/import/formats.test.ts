import { describe, expect, it } from "vitest";
import { openImport } from "./parse-import.test-support";

const parseImport = openImport();
const ref = (inside: string): string => `\${${inside}}`;
const base64 = (value: unknown): string => encodeURIComponent(Buffer.from(JSON.stringify(value)).toString("base64"));
const query = (value: unknown): string => encodeURIComponent(JSON.stringify(value));
const variable = (name: string, value = ref(name)) => ({ name, value });
const bearer = (token: string) => [{ name: "Authorization", value: `Bearer ${token}` }];

const URL = "https://far.example/mcp";
const NPX = { transport: "stdio", command: "npx", args: ["-y", "files-mcp"] };
const HTTP = { transport: "http", url: URL };

type More = Record<string, unknown>;

interface Row {
  format: string;
  /** @param more members that no client has @param flag an option that no client has, with the space before it */
  text: (more: More, flag: string) => string;
  name: string;
  settings: object;
  enabled?: boolean;
  /** Parts of notes, each once. */
  notes?: string[];
}

const split = (line: string): string[] => line.split(" ");
const json = (value: unknown): string => JSON.stringify(value, null, 2);
/** Members of a TOML inline table. */
const toml = (more: More): string =>
  Object.entries(more)
    .map(([key, value]) => `, ${key} = ${JSON.stringify(value)}`)
    .join("");

const COMMANDS: Row[] = (
  [
    ["add-mcp, an address", "npx add-mcp https://far.example/mcp -a cursor -g -y", "far-example", HTTP],
    [
      "add-mcp, SSE",
      "npx -y add-mcp@latest https://far.example/sse --transport sse --name far",
      "far",
      { transport: "sse" },
    ],
    [
      "add-mcp, a package",
      "npx add-mcp files-mcp --name files --env A=1",
      "files",
      { ...NPX, env: [variable("A", "1")] },
    ],
    ["add-mcp, a command line", `bunx add-mcp "npx -y files-mcp" --all`, "files-mcp", NPX],
    [
      "add-mcp, a header",
      `npx add-mcp --header "Authorization: Bearer t0" ${URL}`,
      "far-example",
      { ...HTTP, headers: bearer("t0") },
    ],
    ["install-mcp", `npx install-mcp 'npx -y files-mcp' --client claude`, "files-mcp", NPX],
    [
      "Copilot, local",
      "copilot mcp add files --env A=1 -- npx -y files-mcp",
      "files",
      { ...NPX, env: [variable("A", "1")] },
    ],
    ["Copilot, remote", `copilot mcp add --transport http far ${URL}`, "far", HTTP],
    ["Copilot, tools", `copilot mcp add files --tools "*" -- npx -y files-mcp`, "files", NPX],
    ["Droid, local", `droid mcp add files "npx -y files-mcp" -e A=1`, "files", { ...NPX, env: [variable("A", "1")] }],
    [
      "Droid, remote",
      `droid mcp add far ${URL} --type http --header "Authorization: Bearer t0"`,
      "far",
      { ...HTTP, headers: bearer("t0") },
    ],
    [
      "OpenHands",
      `openhands mcp add far --transport http --header "Authorization: Bearer t0" ${URL}`,
      "far",
      { ...HTTP, headers: bearer("t0") },
    ],
    [
      "Auggie",
      `auggie mcp add files --command npx --args "-y files-mcp" -e A=1`,
      "files",
      { ...NPX, env: [variable("A", "1")] },
    ],
    ["Claude Code", "claude mcp add files -- npx -y files-mcp", "files", NPX],
  ] as const
).map(([format, line, name, settings]) => ({
  format,
  // An option behind the program belongs to it.
  text: (_more, flag) => line.replace(/(?<= mcp add| (?:add|install)-mcp(?:@latest)?)(?= )/, flag),
  name,
  settings,
}));

const LINKS: Row[] = [
  {
    format: "a link of LM Studio",
    text: (more) =>
      `lmstudio://add_mcp?name=files&config=${base64({ command: "npx", args: ["-y", "files-mcp"], ...more })}`,
    name: "files",
    settings: NPX,
    notes: ["Read from an install link"],
  },
  {
    format: "LM Studio's page for links",
    text: (more) => `[Add](https://lmstudio.ai/install-mcp?name=far&config=${base64({ url: URL, ...more })})`,
    name: "far",
    settings: HTTP,
  },
  {
    format: "a link of Kiro",
    text: (more) =>
      `kiro://kiro.mcp/add?name=files&config=${query({ command: "npx", args: ["-y", "files-mcp"], ...more })}`,
    name: "files",
    settings: NPX,
  },
  {
    format: "Kiro's page for links",
    text: (more) =>
      `https://kiro.dev/launch/mcp/add?name=far&config=${query({ url: URL, disabled: true, autoApprove: ["x"], ...more })}`,
    name: "far",
    settings: HTTP,
    enabled: false,
    notes: ["autoApprove: not imported"],
  },
  {
    format: "a link of Goose with a command",
    text: (more) =>
      `goose://extension?cmd=npx&arg=-y&arg=files-mcp&timeout=300&id=files&name=Files&description=x&env=KEY%3DA%20key&${new URLSearchParams(more as Record<string, string>)}`,
    name: "Files",
    settings: { ...NPX, env: [variable("KEY")], timeoutMs: 300_000 },
    notes: ["env.KEY: needs a value (A key)"],
  },
  {
    format: "a link of Goose with an address",
    text: (more) =>
      `goose://extension?url=${encodeURIComponent(URL)}&type=streamable_http&id=far&name=far&header=X-Key%3Da%3Db&${new URLSearchParams(more as Record<string, string>)}`,
    name: "far",
    settings: { ...HTTP, headers: [{ name: "X-Key", value: "a=b" }] },
  },
  {
    format: "a link of VS Code",
    text: (more) =>
      `vscode:mcp/install?${query({ name: "files", command: "npx", args: ["-y", "files-mcp"], ...more })}`,
    name: "files",
    settings: NPX,
  },
];

const FILES: Row[] = [
  {
    format: "a bundle of version 0.4 with uv",
    text: (more) =>
      json({
        manifest_version: "0.4",
        name: "notes",
        server: {
          type: "uv",
          entry_point: "src/server.py",
          ...(Object.keys(more).length > 0 && {
            mcp_config: { command: "uv", args: ["run", "--directory", ref("__dirname"), "src/server.py"], ...more },
          }),
        },
      }),
    name: "notes",
    settings: { command: "uv", args: ["run", "--directory", ref("MCPB_DIR"), "src/server.py"] },
    notes: ["Needs the folder in which the bundle is unpacked"],
  },
  {
    format: "a bundle with another command for another system",
    text: (more) =>
      json({
        name: "notes",
        server: {
          type: "binary",
          mcp_config: { command: "notes", args: [], platform_overrides: { win32: {} }, ...more },
        },
      }),
    name: "notes",
    settings: { command: "notes" },
    notes: ["platform_overrides"],
  },
  {
    format: "OpenHands, streamable HTTP",
    text: (more) => `[mcp]\nshttp_servers = [{ url = "${URL}", api_key = "t0", timeout = 60${toml(more)} }]\n`,
    name: "far-example",
    settings: { ...HTTP, headers: bearer("t0"), timeoutMs: 60_000 },
    notes: ["api_key: imported as a bearer token"],
  },
  {
    format: "OpenHands, SSE",
    text: (more) =>
      Object.keys(more).length === 0
        ? '[core]\nx = 1\n[mcp]\nsse_servers = ["https://far.example/events"]\n'
        : `[mcp]\nsse_servers = [{ url = "https://far.example/events"${toml(more)} }]\n`,
    name: "far-example",
    settings: { transport: "sse", url: "https://far.example/events" },
  },
  {
    format: "OpenHands, stdio",
    text: (more) =>
      json({
        mcp_config: {
          stdio_servers: [{ name: "files", command: "npx", args: ["-y", "files-mcp"], env: { A: "1" }, ...more }],
        },
      }),
    name: "files",
    settings: { ...NPX, env: [variable("A", "1")] },
  },
  {
    format: "fastmcp.json",
    text: (more) =>
      json({
        $schema: "https://gofastmcp.com/public/schemas/fastmcp.json/v1.json",
        source: { type: "filesystem", path: "src/weather.py", entrypoint: "mcp", ...more },
        environment: { type: "uv", python: "3.12", dependencies: ["pandas", "httpx"] },
        deployment: { transport: "http", port: 8000, log_level: "INFO", env: { A: "1" }, args: ["--demo"] },
      }),
    name: "weather",
    settings: {
      command: "uv",
      args: split(
        "run --with fastmcp --python 3.12 --with pandas --with httpx fastmcp run src/weather.py:mcp --transport stdio --log-level INFO -- --demo",
      ),
      env: [variable("A", "1")],
    },
    notes: ["over stdio", "cwd: paths are relative"],
  },
  {
    format: "Augment in the settings of VS Code",
    text: (more) =>
      json({
        "augment.advanced": { mcpServers: [{ name: "files", command: "npx", args: ["-y", "files-mcp"], ...more }] },
      }),
    name: "files",
    settings: NPX,
  },
  {
    format: "Augment, a command line",
    text: (more) => json({ mcpServers: { files: { command: "npx -y files-mcp", ...more } } }),
    name: "files",
    settings: NPX,
    notes: ["command: was split"],
  },
  {
    format: "Docker's catalog, a container",
    text: (more) =>
      json({
        version: 3,
        registry: {
          brave: {
            title: "Brave Search",
            type: "server",
            description: "x",
            image: "mcp/brave@sha256:abc",
            tools: [],
            secrets: [{ name: "brave.api_key", env: "BRAVE_API_KEY" }],
            env: [
              { name: "MODE", value: "stdio" },
              { name: "HOME_DIR", value: "{{brave.home}}" },
            ],
            command: ["--stdio"],
            volumes: ["{{brave.path}}:/data"],
            user: "1000",
            ...more,
          },
        },
      }),
    name: "brave",
    settings: {
      title: "Brave Search",
      command: "docker",
      args: split(
        "run -i --rm --init -e BRAVE_API_KEY -e MODE -e HOME_DIR -v {{brave.path}}:/data -u 1000 mcp/brave@sha256:abc --stdio",
      ),
      env: [variable("BRAVE_API_KEY"), variable("MODE", "stdio"), variable("HOME_DIR")],
    },
    notes: ["env.BRAVE_API_KEY: needs a value", "env.HOME_DIR: needs a value", "{{…}}: Docker fills these in"],
  },
  {
    format: "Docker's catalog, a remote server",
    text: (more) =>
      `registry:\n  far:\n    title: Far\n    type: remote\n    remote:\n      transport_type: streamable-http\n      url: ${URL}\n      headers:\n        X-Key: \${KEY}\n    tools: []\n${Object.entries(
        more,
      )
        .map(([key, value]) => `    ${key}: ${String(value)}\n`)
        .join("")}`,
    name: "far",
    settings: { ...HTTP, headers: [{ name: "X-Key", value: ref("KEY") }] },
  },
  {
    format: "a server.yaml of Docker's registry",
    text: (more) =>
      json({
        name: "brave",
        image: "mcp/brave",
        type: "server",
        meta: {},
        about: { title: "Brave" },
        source: {},
        config: { secrets: [{ name: "brave.key", env: "KEY", example: "x" }], parameters: { type: "object" } },
        run: { command: ["--x"] },
        ...more,
      }),
    name: "brave",
    settings: { args: ["run", "-i", "--rm", "--init", "-e", "KEY", "mcp/brave", "--x"] },
    notes: ["config: what Docker asks for is not imported"],
  },
  {
    format: "Open WebUI",
    text: (more) =>
      json({
        TOOL_SERVER_CONNECTIONS: [
          {
            url: URL,
            path: "",
            type: "mcp",
            auth_type: "bearer",
            key: "t0",
            headers: null,
            config: { enable: false, function_name_filter_list: "read, list" },
            info: { id: "far", name: "Far away", description: "x" },
            ...more,
          },
        ],
      }),
    name: "Far-away",
    settings: { ...HTTP, headers: bearer("t0"), toolFilter: { mode: "only", names: ["read", "list"] } },
    enabled: false,
  },
  {
    format: "an export of Open WebUI with an API",
    text: (more) =>
      json([
        {
          url: "https://far.example/api/",
          path: "openapi.json",
          type: "openapi",
          auth_type: "session",
          key: "",
          config: { enable: true },
          info: { name: "far" },
          ...more,
        },
      ]),
    name: "far",
    settings: { transport: "openapi", document: { from: "url", url: "https://far.example/api/openapi.json" } },
    notes: ["auth_type:"],
  },
  {
    format: "Jan",
    text: (more) =>
      json({ mcpServers: { files: { command: "npx", args: ["-y", "files-mcp"], env: {}, active: false, ...more } } }),
    name: "files",
    settings: NPX,
    enabled: false,
    notes: ["imported disabled"],
  },
  {
    format: "the transport word streamable",
    text: (more) => json({ mcpServers: { far: { type: "streamable", url: URL, ...more } } }),
    name: "far",
    settings: HTTP,
  },
  {
    format: "Amp, with patterns of tools",
    text: (more) =>
      json({
        "amp.mcpServers": {
          files: { command: "npx", args: ["-y", "files-mcp"], includeTools: ["read", "list_*"], ...more },
        },
      }),
    name: "files",
    settings: { ...NPX, toolFilter: { mode: "only", names: ["read"] } },
    notes: ["includeTools: list_* is a pattern"],
  },
  {
    format: "variables that only a shell fills in",
    text: (more) =>
      json({
        mcpServers: { files: { command: "x", args: ["$(pwd)", "$A"], env: { B: "%APPDATA%\\x", C: "p$$w" }, ...more } },
      }),
    name: "files",
    settings: { args: ["$(pwd)", "$A"], env: [variable("B", "%APPDATA%\\x"), variable("C", "p$$w")] },
    notes: [
      "args[0]: $(…) stays as text",
      "args[1]: $name and %NAME% stay as text",
      "env.B: $name and %NAME% stay as text",
    ],
  },
  {
    format: "Goose",
    text: (more) => json({ extensions: { files: { type: "stdio", cmd: "npx", args: ["-y", "files-mcp"], ...more } } }),
    name: "files",
    settings: NPX,
  },
  {
    format: "Codex",
    text: (more) => `[mcp_servers]\nfiles = { command = "npx", args = ["-y", "files-mcp"]${toml(more)} }\n`,
    name: "files",
    settings: NPX,
  },
  {
    format: "Visual Studio",
    text: (more) => json({ servers: { far: { url: URL, ...more } } }),
    name: "far",
    settings: HTTP,
  },
];

describe.each([...COMMANDS, ...LINKS, ...FILES])("$format", ({ text, name, settings, enabled = true, notes = [] }) => {
  it("is read exactly, with a note where something cannot be", async () => {
    const { servers, problems } = await parseImport(text({}, ""));
    expect(problems).toEqual([]);
    expect(servers).toHaveLength(1);
    const [server] = servers;
    expect(server).toMatchObject({ name, enabled, settings, problems: [] });
    for (const part of notes) expect(server?.notes.filter((note) => note.includes(part))).toHaveLength(1);
    const unknown = server?.notes.filter((note) => note.startsWith("ignored")) ?? [];
    expect(unknown.filter((note) => !notes.some((part) => note.includes(part)))).toEqual([]);
  });

  it("has what is not known named, and read as before", async () => {
    const { servers, problems } = await parseImport(text({ zzUnknown: "1" }, " --zz-unknown"));
    expect(problems).toEqual([]);
    expect(servers[0]).toMatchObject({ name, enabled, settings, problems: [] });
    expect(servers[0]?.notes.join("\n")).toMatch(/ignored: .*(?:zzUnknown|--zz-unknown)/);
  });
});

describe("what a text says twice or wrongly", () => {
  it("is named: a key of one object, a name of several servers, a link without a server", async () => {
    const twice = await parseImport(
      '{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y", "args": [], "args": ["z"]}}}',
    );
    expect(twice.notes).toEqual([
      "The key 'a' stands twice in one object: the last one was read",
      "The key 'args' stands twice in one object: the last one was read",
    ]);
    expect(twice.servers[0]?.settings).toMatchObject({ command: "y", args: ["z"] });
    const same = await parseImport('[{"name": "a", "command": "x"}, {"name": "a", "command": "y"}]');
    expect(same.servers[1]?.notes).toEqual(["Renamed to 'a-2': 'a' appears more than once"]);
    const none = await parseImport(
      "goose://extension?id=x\ngoose://extension?cmd=goosed&arg=mcp&arg=developer&id=developer",
    );
    expect(none).toMatchObject({
      servers: [],
      problems: [expect.stringContaining("neither cmd nor url"), expect.stringContaining("a part of Goose")],
    });
    expect((await parseImport("npx add-mcp -y --name x")).servers[0]?.problems).toEqual([
      "The command: the source of the server is missing",
    ]);
  });

  it("keeps a path with spaces whole, and says how it was read", async () => {
    const read = async (command: string) =>
      (await parseImport(JSON.stringify({ mcpServers: { a: { command } } }))).servers[0];
    const file = "C:\\Program Files\\x\\server.exe";
    expect(await read(file)).toMatchObject({ settings: { command: file, args: [] }, notes: [] });
    expect((await read(`${file} --port 1`))?.notes[0]).toContain("command: is read as the path of a program");
    expect(await read("node server.js --port 1")).toMatchObject({
      settings: { command: "node", args: ["server.js", "--port", "1"] },
    });
  });

  it("repeats no value that may be secret", async () => {
    const secret = "s3cr3t-$(x)";
    for (const value of [secret, "$s3cr3t", `${secret} $s3cr3t`]) {
      const { servers } = await parseImport(JSON.stringify({ mcpServers: { a: { command: "x", env: { K: value } } } }));
      expect(servers[0]?.notes.join()).not.toContain("s3cr3t");
      expect(servers[0]?.notes).toHaveLength(1);
    }
  });
});
