// Lists the tools of a JSON file, and writes the method of each message that it gets into another: versioned.mjs <tools> <log>
import { appendFileSync, readFileSync } from "node:fs";
import { serveStdio, text } from "./stdio-server.mjs";

const [tools = "", log = ""] = process.argv.slice(2);
const secret = process.env.CANDIDATE_TOKEN ?? "";
if (secret !== "") console.error(`starting with ${secret}`);

serveStdio({
  name: "versioned",
  tools: () =>
    JSON.parse(readFileSync(tools, "utf8").replaceAll("CANDIDATE_TOKEN", secret)).map((/** @type {object} */ tool) => ({
      ...tool,
      run: () => text("called"),
    })),
  handle: ({ method }) => appendFileSync(log, `${method}\n`),
});
