/** A configuration file as users have it. */
export interface Sample {
  /** What is special about it. */
  title: string;
  client: string;
  file: string;
  text: string;
}

const crlf = (text: string): string => text.replaceAll("\n", "\r\n");
const BOM = "\uFEFF";
const ref = (inside: string): string => `\${${inside}}`;

/** Files of clients that keep JSON. */
export const JSON_SAMPLES: readonly Sample[] = [
  {
    title: "one server, two spaces",
    client: "claude-desktop",
    file: "claude_desktop_config.json",
    text: `{
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "/Users/ada/Desktop"]
    }
  }
}
`,
  },
  {
    title: "secrets, no line end at the end",
    client: "claude-desktop",
    file: "claude_desktop_config.json",
    text: `{
  "mcpServers": {
    "github": {
      "command": "npx",
      "args": [
        "-y",
        "@modelcontextprotocol/server-github"
      ],
      "env": {
        "GITHUB_PERSONAL_ACCESS_TOKEN": "ghp_planted0000000000000000000000000001"
      }
    },
    "brave-search": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-brave-search"],
      "env": { "BRAVE_API_KEY": "BSAplanted0000000000000000002" }
    }
  },
  "globalShortcut": "Ctrl+Space"
}`,
  },
  {
    title: "Windows paths, CRLF, a byte order mark",
    client: "claude-desktop",
    file: "claude_desktop_config.json",
    text:
      BOM +
      crlf(`{
    "mcpServers": {
        "sqlite": {
            "command": "C:\\\\Program Files\\\\nodejs\\\\node.exe",
            "args": ["C:\\\\mcp\\\\sqlite.js", "--db", "C:\\\\data\\\\test.db"]
        },
        "time": { "command": "uvx", "args": ["mcp-server-time"] }
    }
}
`),
  },
  {
    title: "everything on one line",
    client: "claude-desktop",
    file: "claude_desktop_config.json",
    text: `{"mcpServers":{"a":{"command":"uvx","args":["mcp-server-fetch"]},"b":{"command":"uvx","args":["mcp-server-git"]}},"theme":"dark"}`,
  },
  {
    title: "tabs, and the servers last",
    client: "claude-desktop",
    file: "claude_desktop_config.json",
    text: `{\n\t"isUsingBuiltInNodeForMcp": true,\n\t"mcpServers": {\n\t\t"memory": {\n\t\t\t"command": "npx",\n\t\t\t"args": ["-y", "@modelcontextprotocol/server-memory"]\n\t\t},\n\t\t"everything": {\n\t\t\t"command": "npx",\n\t\t\t"args": ["-y", "@modelcontextprotocol/server-everything"]\n\t\t}\n\t}\n}\n`,
  },
  {
    title: "a user's file with other state around it",
    client: "claude-code",
    file: ".claude.json",
    text: `{
  "numStartups": 184,
  "installMethod": "global",
  "tipsHistory": { "new-user-warmup": 3, "memory-command": 120 },
  "mcpServers": {
    "context7": {
      "type": "http",
      "url": "https://mcp.context7.com/mcp",
      "headers": { "CONTEXT7_API_KEY": "ctx7-planted-0003" }
    },
    "playwright": { "type": "stdio", "command": "npx", "args": ["@playwright/mcp@latest"], "env": {} }
  },
  "oauthAccount": { "emailAddress": "ada@example.com" },
  "hasCompletedOnboarding": true
}
`,
  },
  {
    title: "several projects",
    client: "claude-code",
    file: ".claude.json",
    text: `{
  "numStartups": 3,
  "projects": {
    "/home/ada/shop": {
      "allowedTools": [],
      "mcpServers": {
        "db": { "type": "stdio", "command": "uvx", "args": ["mcp-server-sqlite", "--db-path", "./shop.db"], "env": {} },
        "linear": { "type": "sse", "url": "https://mcp.linear.app/sse" }
      },
      "hasTrustDialogAccepted": true
    },
    "/home/ada/empty": { "mcpServers": {}, "allowedTools": ["Bash(ls:*)"] },
    "/home/ada/blog": {
      "mcpServers": {
        "db": { "type": "stdio", "command": "uvx", "args": ["mcp-server-sqlite", "--db-path", "blog.db"] }
      }
    }
  },
  "mcpServers": {
    "fetch": { "command": "uvx", "args": ["mcp-server-fetch"] }
  }
}
`,
  },
  {
    title: "projects only",
    client: "claude-code",
    file: ".claude.json",
    text: `{
  "projects": {
    "/srv/a": { "mcpServers": { "git": { "command": "uvx", "args": ["mcp-server-git", "--repository", "."] } } },
    "/srv/b": { "mcpServers": { "notion": { "type": "http", "url": "https://mcp.notion.com/mcp" } }, "lastCost": 0.2 }
  }
}
`,
  },
  {
    title: "a project's .mcp.json with variables",
    client: "claude-code",
    file: "project/.mcp.json",
    text: `{
  "mcpServers": {
    "api": {
      "type": "http",
      "url": "${ref("API_BASE_URL:-https://api.example.com")}/mcp",
      "headers": { "Authorization": "Bearer ${ref("API_KEY")}" }
    },
    "local": { "command": "./tools/server.sh", "args": ["--port", "0"] }
  }
}
`,
  },
  {
    title: "comments between and beside servers",
    client: "cursor",
    file: ".cursor/mcp.json",
    text: `// servers for work
{
  "mcpServers": {
    // search
    "exa": {
      "command": "npx", // started by npx
      "args": ["-y", "exa-mcp-server"],
      "env": { "EXA_API_KEY": "exa-planted-0004" }
    }, // keep this one
    /* the tracker,
       with its token */
    "jira": { "url": "https://jira.example.com/mcp", "headers": { "Authorization": "Bearer jira-planted-0005" } }
    // , "old": { "command": "old" }
  }
}
`,
  },
  {
    title: "a trailing comma after the last server",
    client: "cursor",
    file: ".cursor/mcp.json",
    text: `{
  "mcpServers": {
    "one": { "command": "one-mcp", "args": [], },
    "two": { "command": "two-mcp", },
    "three": { "url": "https://three.example/mcp", },
  },
}
`,
  },
  {
    title: "commas at the beginning of lines",
    client: "cursor",
    file: ".cursor/mcp.json",
    text: `{ "mcpServers":
  { "one": { "command": "one-mcp" }
  , "two": { "command": "two-mcp" }
  , "three": { "command": "three-mcp" }
  }
}
`,
  },
  {
    title: "odd indentation",
    client: "cursor",
    file: ".cursor/mcp.json",
    text: `{
   "mcpServers" : {
          "one"   :{
     "command":"one-mcp"
  },
            "two"
      : { "command" : "two-mcp" , "args" : [ "x"
      , "y" ] }
       }
  }


`,
  },
  {
    title: "Toolroom's own address beside servers",
    client: "cursor",
    file: ".cursor/mcp.json",
    text: `{
  "mcpServers": {
    "toolroom-files": { "url": "http://127.0.0.1:3000/mcp/files" },
    "files": { "command": "files-mcp" },
    "notes": { "command": "notes-mcp" }
  }
}
`,
  },
  {
    title: "an older entry of Toolroom",
    client: "cursor",
    file: ".cursor/mcp.json",
    text: `{
  "mcpServers": {
    "files": { "command": "files-mcp" },
    "toolroom": { "command": "npm", "args": ["--prefix", "/opt/toolroom", "run", "-s", "mcp"] },
    "notes": { "command": "notes-mcp" }
  }
}
`,
  },
  {
    title: "inputs that only the client asks for",
    client: "vscode",
    file: "Code/User/mcp.json",
    text: `{
	"inputs": [
		{ "type": "promptString", "id": "perplexity-key", "description": "Perplexity API Key", "password": true }
	],
	"servers": {
		"perplexity": {
			"type": "stdio",
			"command": "npx",
			"args": ["-y", "server-perplexity-ask"],
			"env": { "PERPLEXITY_API_KEY": "${ref("input:perplexity-key")}" }
		},
		"fetch": {
			"type": "stdio",
			"command": "uvx",
			"args": ["mcp-server-fetch"]
		}
	}
}
`,
  },
  {
    title: "a workspace's file, CRLF",
    client: "vscode",
    file: "project/.vscode/mcp.json",
    text: crlf(`{
  // servers of this workspace
  "servers": {
    "playwright": { "type": "stdio", "command": "npx", "args": ["@playwright/mcp@latest"] },
    "docs": { "type": "http", "url": "https://learn.example.com/api/mcp" },
    "here": { "command": "node", "args": ["${ref("workspaceFolder")}/mcp.js"] },
  },
  "inputs": []
}
`),
  },
  {
    title: "user settings with a section of servers",
    client: "vscode",
    file: "Code/User/settings.json",
    text: `{
    "editor.fontSize": 13,
    "files.exclude": { "**/.git": true, },
    // Model Context Protocol
    "mcp": {
        "inputs": [],
        "servers": {
            "time": { "command": "uvx", "args": ["mcp-server-time", "--local-timezone=Europe/Vienna"] },
        }
    },
    "workbench.colorTheme": "Default Dark+" // my theme
}
`,
  },
  {
    title: "settings with a dotted section",
    client: "vscode",
    file: "Code/User/settings.json",
    text: `{
  "mcp.servers": { "a": { "command": "a-mcp" }, "b": { "command": "b-mcp" }, "c": { "command": "c-mcp" } },
  "telemetry.telemetryLevel": "off"
}
`,
  },
  {
    title: "serverUrl and disabled tools",
    client: "windsurf",
    file: ".codeium/windsurf/mcp_config.json",
    text: `{
  "mcpServers": {
    "figma": { "serverUrl": "https://mcp.figma.com/mcp", "disabledTools": ["get_code"] },
    "remote": { "command": "npx", "args": ["mcp-remote", "https://example.com/sse"], "disabled": true }
  }
}
`,
  },
  {
    title: "settings full of comments",
    client: "zed",
    file: "zed/settings.json",
    text: `// Zed settings
//
// For information on how to configure Zed, see the Zed
// documentation: https://zed.dev/docs/configuring-zed
{
  "theme": { "mode": "system", "light": "One Light", "dark": "One Dark", },
  "context_servers": {
    /// local
    "files": {
      "source": "custom",
      "command": "npx",
      "args": ["-y", "server-filesystem", "/srv"],
      "env": { "LOG": "1" },
    },
    "mcp-server-github": { "source": "extension", "enabled": true, "settings": { "token": "ghp_planted0006" } },
    // remote
    "linear": { "url": "https://mcp.linear.app/mcp", "headers": { "Authorization": "Bearer lin-planted-0007" }, },
  },
  "vim_mode": true,
  /* last */
}
`,
  },
  {
    title: "the older form with a path",
    client: "zed",
    file: "zed/settings.json",
    text: `{
  "context_servers": {
    "git": { "command": { "path": "uvx", "args": ["mcp-server-git"], "env": { "A": "1" } }, "settings": {} }
  },
  "ui_font_size": 16
}
`,
  },
  {
    title: "variables, trust, an excluded server",
    client: "gemini",
    file: ".gemini/settings.json",
    text: `{
  "theme": "GitHub",
  "mcp": { "excluded": ["old"] },
  "mcpServers": {
    "python": {
      "command": "python", "args": ["-m", "mcp_server"], "env": { "API_KEY": "$MY_API_TOKEN" },
      "timeout": 15000, "trust": true, "includeTools": ["read", "search"]
    },
    "old": { "command": "old-mcp" },
    "remote": { "httpUrl": "https://api.example.com/mcp", "headers": { "Authorization": "Bearer gem-planted-0008" } }
  },
  "selectedAuthType": "oauth-personal"
}
`,
  },
  {
    title: "a project's settings with a relative folder",
    client: "gemini",
    file: "project/.gemini/settings.json",
    text: `{ "mcpServers": { "main": { "command": "bin/mcp_server.py", "cwd": "./server" } } }`,
  },
  {
    title: "commands as lists, and tools that are switched off",
    client: "opencode",
    file: "opencode/opencode.json",
    text: `{
  "$schema": "https://opencode.ai/config.json",
  "mcp": {
    "everything": {
      "type": "local",
      "command": ["npx", "-y", "@modelcontextprotocol/server-everything"],
      "environment": { "TOKEN": "{env:MY_TOKEN}" },
      "enabled": true
    },
    "wiki": { "type": "remote", "url": "https://wiki.example.com/mcp" },
    "jira": { "type": "remote", "url": "https://jira.example.com/mcp", "enabled": false }
  },
  "tools": { "wiki_*": false }
}
`,
  },
  {
    title: "JSON with comments",
    client: "opencode",
    file: "opencode/opencode.jsonc",
    text: `{
  // model
  "model": "anthropic/claude-sonnet-4-5",
  "mcp": {
    "context7": { "type": "remote", "url": "https://mcp.context7.com/mcp", }, // docs
  },
}
`,
  },
  {
    title: "alwaysAllow, timeout, disabled",
    client: "cline",
    file: "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    text: `{
  "mcpServers": {
    "github.com/modelcontextprotocol/servers/tree/main/src/fetch": {
      "autoApprove": ["fetch"],
      "disabled": false,
      "timeout": 60,
      "type": "stdio",
      "command": "uvx",
      "args": ["mcp-server-fetch"]
    },
    "paused": { "command": "node", "args": ["/opt/a.js"], "alwaysAllow": ["write"], "disabled": true, "timeout": 1800 }
  }
}
`,
  },
  {
    title: "streamable-http",
    client: "roo",
    file: "project/.roo/mcp.json",
    text: `{"mcpServers": {
  "roo": {"type": "streamable-http", "url": "https://roo.example/mcp", "disabledTools": ["delete"], "timeout": 60}}}
`,
  },
  {
    title: "the older JSON, whose servers have no names",
    client: "continue",
    file: ".continue/config.json",
    text: `{
  "models": [],
  "experimental": {
    "modelContextProtocolServers": [
      { "transport": { "type": "stdio", "command": "uvx", "args": ["mcp-server-sqlite", "--db-path", "/a.db"] } },
      { "transport": { "type": "stdio", "command": "npx", "args": ["-y", "@scope/other"] } }
    ]
  }
}
`,
  },
  {
    title: "a list in JSON, two of one name",
    client: "continue",
    file: ".continue/config.json",
    text: `{ "mcpServers": [ {"name": "a", "command": "x"}, {"name": "a", "command": "y"} ], "tabAutocomplete": null }
`,
  },
  {
    title: "type local and tools",
    client: "copilot",
    file: ".copilot/mcp-config.json",
    text: `{
  "mcpServers": {
    "sentry": { "type": "local", "command": "npx", "args": ["@sentry/mcp-server@latest"], "tools": ["*"] }
  }
}
`,
  },
  {
    title: "numbers as names, a name with spaces, escapes",
    client: "lmstudio",
    file: ".lmstudio/mcp.json",
    text: `{
  "mcpServers": {
    "my files": { "command": "files-mcp" },
    "42": { "command": "answer-mcp" },
    "caf\\u00e9": { "command": "caf\\u00e9-mcp" },
    "7": { "command": "seven-mcp" }
  }
}
`,
  },
  {
    title: "kiro's switches",
    client: "kiro",
    file: ".kiro/settings/mcp.json",
    text: `{
  "mcpServers": {
    "aws-docs": {
      "command": "uvx",
      "args": ["awslabs.aws-documentation-mcp-server@latest"],
      "env": { "FASTMCP_LOG_LEVEL": "ERROR" },
      "disabled": false,
      "autoApprove": []
    }
  }
}`,
  },
  {
    title: "settings with a dotted section of Amp",
    client: "amp",
    file: "amp/settings.json",
    text: `{
  "amp.notifications.enabled": true,
  "amp.mcpServers": {
    "playwright": { "command": "npx", "args": ["-y", "@playwright/mcp@latest", "--headless"] }
  }
}
`,
  },
  {
    title: "a fork of Gemini CLI",
    client: "qwen",
    file: ".qwen/settings.json",
    text: `{"mcpServers":{"a":{"command":"a-mcp","timeout":30000}},"$version":2}`,
  },
];
