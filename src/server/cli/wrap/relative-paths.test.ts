import { expect, it } from "vitest";
import { findRelativePath } from "./relative-paths";

/** @param line words separated by spaces; those of an environment, as NAME=value, come first */
function find(line: string): string | null {
  const words = line.split(" ");
  const at = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const env = Object.fromEntries(words.slice(0, at).map((word) => word.split("=", 2) as [string, string]));
  const [command = "", ...args] = words.slice(at);
  return findRelativePath({ command, args, env });
}

it.each([
  ["node tracker.js", "tracker.js"],
  ["node .", "."],
  ["node --import tsx src/index", "src/index"],
  ["/usr/bin/node build/index.js --port 3", "build/index.js"],
  ["python src/server.py", "src/server.py"],
  ["python3.12 -u server.py", "server.py"],
  ["uv run server.py", "uv run"],
  ["uv run weather", "uv run"],
  ["npm start", "npm start"],
  ["npm run -s mcp", "npm run"],
  ["cargo run --release", "cargo run"],
  ["go run .", "go run"],
  ["deno run -A main.ts", "main.ts"],
  ["bun run index.ts", "bun run"],
  ["npx tsx src/index.ts", "src/index.ts"],
  ["npx -y some-server --config ./x", "./x"],
  ["npx -y some-server --config=x.json", "x.json"],
  ["npx -y some-server ../notes", "../notes"],
  ["uvx mcp-server-git --repository work/notes", "work/notes"],
  ["uvx mcp-server-sqlite --db-path notes", "notes"],
  ["docker run -i --rm -v ./data:/data mcp/files", "./data:/data"],
  ["docker compose -f compose.yaml run mcp", "compose.yaml"],
  ["bin/server --stdio", "bin/server"],
  ["./run.sh", "./run.sh"],
  [".venv\\Scripts\\python.exe C:\\x\\server.py", ".venv\\Scripts\\python.exe"],
  ["java -jar target/server.jar", "target/server.jar"],
  ["CONFIG=./x.json files-mcp", "./x.json"],
  ["DB_PATH=notes.db files-mcp", "notes.db"],
])("%s depends on the folder in which it is started: %s", (line, found) => {
  expect(find(line)).toBe(found);
});

it.each([
  "npx -y @modelcontextprotocol/server-everything",
  "npx -y @modelcontextprotocol/server-filesystem /home/ada/notes",
  "npx -y mcp-remote https://tracker.example/mcp --header X:y",
  "npx -y github:owner/server",
  "npx --package=@scope/tools -c server",
  "npx -y @scope/server --repo owner/name",
  "npx -y @antv/mcp-server-chart",
  "uvx mcp-server-time --local-timezone=Europe/Oslo",
  "uvx --from git+https://github.com/owner/server serve",
  "uv --directory /home/ada/weather run weather.py",
  "uv run --directory=/home/ada/weather weather.py",
  "uv run --with mcp mcp-server",
  "uv tool run mcp-server-time",
  "npm --prefix /home/ada/server run -s mcp",
  "docker run -i --rm -e TOKEN mcp/github",
  "docker run -i ghcr.io/owner/server:1.2",
  "node /home/ada/tracker.js --level 3",
  "node C:\\ada\\tracker.js",
  "node --env-file /home/ada/.env /home/ada/tracker.js",
  "python -m mcp_server_fetch",
  "deno run -A npm:some-server",
  "deno run -A jsr:@scope/server",
  "java -jar /opt/server.jar",
  "/opt/server/bin/server --stdio",
  "files-mcp",
  "LOG_LEVEL=debug API=https://a.example/x.json files-mcp",
])("%s does not depend on a folder", (line) => {
  expect(find(line)).toBeNull();
});

it("reads the command line of a shell, which may change the folder itself", () => {
  const inShell = (text: string) => findRelativePath({ command: "bash", args: ["-c", text], env: {} });
  expect(inShell("node server.js")).toBe("server.js");
  expect(inShell("cd /home/ada/server && node server.js")).toBeNull();
  expect(inShell("npx -y some-server")).toBeNull();
  const inCmd = (...args: string[]) => findRelativePath({ command: "cmd", args, env: {} });
  expect(inCmd("/c", "npx", "-y", "some-server")).toBeNull();
});
