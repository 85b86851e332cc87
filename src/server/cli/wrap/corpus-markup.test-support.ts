import type { Sample } from "./corpus-json.test-support";

const crlf = (text: string): string => text.replaceAll("\n", "\r\n");

/** Files of clients that keep TOML and YAML. */
export const MARKUP_SAMPLES: readonly Sample[] = [
  {
    title: "tables between other settings",
    client: "codex",
    file: ".codex/config.toml",
    text: `model = "gpt-5-codex"
approval_policy = "on-request" # ask me

[mcp_servers.context7]
command = "npx"
args = ["-y", "@upstash/context7-mcp"]
startup_timeout_sec = 20

[mcp_servers.context7.env]
API_KEY = "ctx7-planted-0011"

# figma needs a token
[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
http_headers = { "X-Figma-Region" = "us-east-1" }

[profiles.fast]
model = "gpt-5-mini"
`,
  },
  {
    title: "quoted names, long strings, lists over lines",
    client: "codex",
    file: ".codex/config.toml",
    text: `instructions = """
[mcp_servers.not_a_table]
command = "no"
"""

[mcp_servers."my files"]
command = 'C:\\tools\\files.exe'
args = [
  "--root", # a comment ] in a list
  "[x]",
]

[mcp_servers.git]
command = "uvx"
args = ["mcp-server-git"]`,
  },
  {
    title: "inline tables under one header",
    client: "codex",
    file: ".codex/config.toml",
    text: `[mcp_servers]
docs = { command = "npx", args = ["-y", "docs-mcp"] }
  fetch = { command = "uvx", args = ["mcp-server-fetch"] } # web

[tui]
notifications = true
`,
  },
  {
    title: "dotted keys",
    client: "codex",
    file: ".codex/config.toml",
    text: `mcp_servers.a.command = "a-mcp"
mcp_servers.a.args = ["x"]
model = "o3"
mcp_servers.b.url = "https://b.example/mcp"
`,
  },
  {
    title: "CRLF, tables apart, a switched off server",
    client: "codex",
    file: ".codex/config.toml",
    text: crlf(`[mcp_servers.one]
command = "one-mcp"


[shell_environment_policy]
inherit = "core"

[mcp_servers.two]
command = "two-mcp"
enabled = false

  [mcp_servers.two.env]
  KEY = "planted-0012"
`),
  },
  {
    title: "a project's file",
    client: "codex",
    file: "project/.codex/config.toml",
    text: `[mcp_servers.local]
command = "./bin/server"
cwd = "."
`,
  },
  {
    title: "extensions with parts of Goose among them",
    client: "goose",
    file: "goose/config.yaml",
    text: `GOOSE_PROVIDER: anthropic
GOOSE_MODEL: claude-sonnet-4-5
extensions:
  developer:
    bundled: true
    enabled: true
    name: developer
    timeout: 300
    type: builtin
  memory:
    args:
    - -y
    - '@modelcontextprotocol/server-memory'
    cmd: npx
    description: ''
    enabled: true
    env_keys: []
    envs: {}
    name: memory
    timeout: 300
    type: stdio
  github:
    args:
    - -y
    - '@modelcontextprotocol/server-github'
    cmd: npx
    enabled: true
    env_keys:
    - GITHUB_TOKEN
    name: github
    type: stdio
  fetch:
    cmd: uvx
    args: [mcp-server-fetch]
    enabled: true
    envs:
      TOKEN: planted-0013
    name: fetch
    type: stdio
GOOSE_MODE: smart_approve
`,
  },
  {
    title: "a remote extension last, without a line end",
    client: "goose",
    file: "goose/config.yaml",
    text: `# my goose
extensions:
    tracker:
        enabled: true
        name: tracker
        type: streamable_http
        uri: https://tracker.example/mcp
        headers:
            Authorization: Bearer planted-0014   # work
        timeout: 300`,
  },
  {
    title: "a list with comments and a block text",
    client: "continue",
    file: ".continue/config.yaml",
    text: `name: My Config
version: 0.0.1
schema: v1
models: []
rules:
  - |
    mcpServers:
      - name: not a server

mcpServers:
  # database
  - name: SQLite
    command: npx
    args:
      - "-y"
      - mcp-sqlite
      - /path/to/db   # mine
    env:
      KEY: planted-0015
  - name: Docs
    type: streamable-http
    url: https://docs.example.com/mcp
    requestOptions:
      headers:
        X-Team: blue
  # a secret that Continue keeps
  - name: Search
    command: npx
    args: ["-y", "search-mcp"]
    env:
      KEY: \${{ secrets.SEARCH_KEY }}

docs: []
`,
  },
  {
    title: "a list without indentation, CRLF",
    client: "continue",
    file: ".continue/config.yaml",
    text: crlf(`name: Local
mcpServers:
- name: one
  command: one-mcp
- name: two
  command: two-mcp
  args:
  - --flag
version: 1.0.0
`),
  },
  {
    title: "a file of one server in the folder",
    client: "continue",
    file: "project/.continue/mcpServers/sqlite.yaml",
    text: `name: SQLite MCP
version: 0.0.1
schema: v1
mcpServers:
  - name: SQLite MCP
    command: npx
    args:
      - "-y"
      - "mcp-sqlite"
      - "./database.db"
`,
  },
];
