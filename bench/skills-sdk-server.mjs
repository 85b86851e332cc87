// A skill server of the official SDK, for `bench/clients-skills.ts`. Argument: the folder of the skills.
import { McpServer } from "@modelcontextprotocol/server";
import { loadSkills } from "@modelcontextprotocol/server/ext/skills/node";
import { serveStdio } from "@modelcontextprotocol/server/stdio";

const [folder = ""] = process.argv.slice(2);
const skills = await loadSkills(folder);

serveStdio(() => {
  const server = new McpServer({ name: "skills-sdk", version: "1.0.0" });
  skills.attach(server);
  return server;
});
