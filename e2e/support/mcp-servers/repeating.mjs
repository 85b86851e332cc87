// A server whose texts are full of words that stand in the settings of others. Argument: a file with a JSON list of them.
import { readFileSync } from "node:fs";
import { serveStdio, text } from "./stdio-server.mjs";

/** @type {string[]} */
const words = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8"));
const all = words.join(" ");
const inputSchema = {
  type: "object",
  description: `One of ${all}`,
  properties: {
    choice: { type: "string", enum: words, default: words[0], description: `By default ${all}` },
    fixed: { const: words[0], examples: words },
  },
};

serveStdio({
  name: "repeating",
  capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
  tools: [
    {
      name: "choose",
      description: `Chooses one of ${all}`,
      inputSchema,
      run: ({ choice }) => ({ ...text(`chosen ${choice} of ${all}`), structuredContent: { choice, words } }),
    },
    { name: "fail", description: `Fails with ${all}`, run: () => ({ ...text(`No such word: ${all}`), isError: true }) },
    {
      name: "refuse",
      description: `Refuses with ${all}`,
      run: (_, { id, send }) =>
        send({ jsonrpc: "2.0", id, error: { code: -32000, message: `Refused: ${all}`, data: { words } } }),
    },
    {
      name: "report",
      description: `Reports ${all}`,
      run: (_, { send, params }) => {
        send({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: { words } } });
        const progressToken = params._meta?.progressToken;
        if (progressToken !== undefined) {
          send({
            jsonrpc: "2.0",
            method: "notifications/progress",
            params: { progressToken, progress: 1, message: all },
          });
        }
        return text("reported");
      },
    },
  ],
  handle: ({ id, method, params }) => {
    const reply = (/** @type {unknown} */ result) =>
      process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
    switch (method) {
      case "initialize":
        reply({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
          serverInfo: { name: "repeating", version: "1.0.0" },
          instructions: `Use ${all}`,
        });
        return true;
      case "prompts/list":
        reply({
          prompts: [{ name: "ask", description: `Asks for ${all}`, arguments: [{ name: "word", description: all }] }],
        });
        return true;
      case "prompts/get":
        reply({ messages: [{ role: "user", content: { type: "text", text: `Say ${all}` } }] });
        return true;
      case "resources/list":
        reply({ resources: [{ uri: "words://all", name: "words", description: `All of ${all}` }] });
        return true;
      case "resources/templates/list":
        reply({ resourceTemplates: [] });
        return true;
      case "resources/read":
        reply({ contents: [{ uri: params.uri, text: all }] });
        return true;
      case "completion/complete":
        reply({ completion: { values: words } });
        return true;
      case "logging/setLevel":
        reply({});
        return true;
      default:
        return false;
    }
  },
});
