// Agents that nobody here wrote, for prove-cassettes.ts: each makes a list of calls at an MCP address, as a scripted model on
// loopback tells it, and prints what its tools returned. Runs in the folder that has their packages.
// `node cassette-agents.mjs <agent> <address of MCP> <file with the calls>`
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

const [agent = "", url = "", file = ""] = process.argv.slice(2);
/** @type {{ name: string, arguments: object }[]} */
const calls = JSON.parse(readFileSync(file, "utf8"));
const run = promisify(execFile);

/** The results of tools as the model gets them. @type {string[]} */
let heard = [];

/** The chat completions of a model that makes the calls one after the other. */
function startModel() {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { messages, tools = [], stream } = JSON.parse(body);
      const answers = messages.filter((/** @type {any} */ each) => each.role === "tool");
      heard = answers.map((/** @type {any} */ { content }) =>
        typeof content === "string" ? content : JSON.stringify(content),
      );
      const made = messages.filter((/** @type {any} */ each) => each.role === "assistant" && each.tool_calls).length;
      const next = calls[made];
      const offered = tools.map((/** @type {any} */ tool) => tool.function.name);
      const name =
        next && offered.find((/** @type {string} */ each) => each === next.name || each.endsWith(`_${next.name}`));
      const call = next && {
        id: `call_${made}`,
        type: "function",
        function: { name: name ?? next.name, arguments: JSON.stringify(next.arguments) },
      };
      const message = { role: "assistant", content: call ? null : "Done.", ...(call && { tool_calls: [call] }) };
      const finish_reason = call ? "tool_calls" : "stop";
      const common = {
        id: `c${made}`,
        created: 1,
        model: "scripted",
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      };
      if (!stream) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(
          JSON.stringify({ ...common, object: "chat.completion", choices: [{ index: 0, message, finish_reason }] }),
        );
        return;
      }
      const delta = { ...message, ...(call && { tool_calls: [{ index: 0, ...call }] }) };
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const choice of [
        { index: 0, delta },
        { index: 0, delta: {}, finish_reason },
      ]) {
        response.write(
          `data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", choices: [choice] })}\n\n`,
        );
      }
      response.end("data: [DONE]\n\n");
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = /** @type {import("node:net").AddressInfo} */ (server.address());
      resolve({ model: `http://127.0.0.1:${address.port}/v1`, close: () => server.close() });
    });
  });
}

/** @type {Record<string, () => Promise<unknown[]>>} */
const AGENTS = {
  async "ai-sdk"() {
    const { generateText, stepCountIs } = await import("ai");
    const { createMCPClient } = await import("@ai-sdk/mcp");
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { model, close } = await startModel();
    const client = await createMCPClient({ transport: { type: "http", url } });
    const provider = createOpenAICompatible({ name: "scripted", baseURL: model, apiKey: "none" });
    const { steps } = await generateText({
      model: provider.chatModel("scripted"),
      tools: await client.tools(),
      prompt: "Make the calls.",
      stopWhen: stepCountIs(calls.length + 1),
    });
    await client.close();
    close();
    return steps.flatMap((/** @type {any} */ step) =>
      step.content.flatMap((/** @type {any} */ part) =>
        part.type === "tool-result"
          ? [part.output]
          : part.type === "tool-error"
            ? [{ thrown: String(part.error) }]
            : [],
      ),
    );
  },

  async mastra() {
    const { Agent } = await import("@mastra/core/agent");
    const { MCPClient } = await import("@mastra/mcp");
    const { model, close } = await startModel();
    const client = new MCPClient({ servers: { t: { url: new URL(url) } } });
    const scripted = new Agent({
      id: "scripted",
      name: "scripted",
      instructions: "Make the calls.",
      tools: await client.listTools(),
      model: { id: "local/scripted", url: model, apiKey: "none" },
    });
    const { steps } = await scripted.generate("Go on.", { maxSteps: calls.length + 1 });
    await client.disconnect();
    close();
    const results = steps.flatMap((/** @type {any} */ step) =>
      step.toolResults.map((/** @type {any} */ each) => each.payload ?? each),
    );
    const byCall = new Map(results.map((/** @type {any} */ each) => [each.toolCallId, each.result]));
    // A tool that fails throws here: only the model is told of it.
    return calls.map((_, at) => byCall.get(`call_${at}`) ?? heard[at]);
  },

  async mcpc() {
    const home = mkdtempSync(path.join(tmpdir(), "toolroom-mcpc-"));
    const mcpc = (/** @type {string[]} */ ...words) =>
      run(process.execPath, [path.resolve("node_modules/@apify/mcpc/bin/mcpc"), ...words], {
        env: { ...process.env, HOME: home, MCPC_HOME_DIR: home },
      });
    await mcpc("connect", url, "@proof");
    /** @type {unknown[]} */
    const results = [];
    for (const call of calls) {
      const { stdout } = await mcpc("@proof", "tools-call", call.name, JSON.stringify(call.arguments), "--json").catch(
        (error) => error,
      );
      results.push(JSON.parse(stdout));
    }
    await mcpc("close", "@proof");
    rmSync(home, { recursive: true, force: true });
    return results;
  },
};

const act = AGENTS[agent];
if (act === undefined) throw new Error(`There is no agent ${agent}`);
process.stdout.write(`RESULTS ${JSON.stringify(await act())}\n`);
process.exit(0);
