// One good tool among those that break the schema of the protocol.
import { serveStdio, text } from "./stdio-server.mjs";

serveStdio({
  name: "malformed",
  tools: [{ name: "good", run: () => text("good") }],
  listTools: () => ({
    tools: [
      { name: "no_schema" },
      { name: "array_type", inputSchema: { type: ["object", "null"] } },
      { name: "null_description", description: null, inputSchema: { type: "object" } },
      { name: "text_required", inputSchema: { type: "object", required: "a" } },
      { name: "text_hint", inputSchema: { type: "object" }, annotations: { readOnlyHint: "yes" } },
      { name: "array_output", inputSchema: { type: "object" }, outputSchema: { type: "array" } },
      { inputSchema: { type: "object" } },
      "not a tool",
      null,
      { name: "good", inputSchema: { type: "object" } },
    ],
  }),
});
