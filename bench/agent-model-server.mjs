// The model of the agent's benchmark: Anthropic's Messages API as server-sent events on loopback. It calls `echo` until the
// conversation has as many batches of results as the system text says ("iterations=5 calls=1"), then it answers with text.
// `node bench/agent-model-server.mjs <milliseconds before each answer>`
import { createServer } from "node:http";

const THINKING_MS = Number(process.argv[2] ?? 0);
const WORDS = "The answer is what the tool said, no more and no less, as it was asked for.".split(/(?<= )/);

/** @param {import("node:http").ServerResponse} response @param {Record<string, unknown> & { type: string }} event */
function send(response, event) {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** @param {import("node:http").ServerResponse} response @param {{ messages: { content: unknown }[], system?: unknown, model: string }} request */
function answer(response, { messages, system, model }) {
  const said = JSON.stringify(system ?? "");
  const iterations = Number(/iterations=(\d+)/.exec(said)?.[1] ?? 1);
  const calls = Number(/calls=(\d+)/.exec(said)?.[1] ?? 1);
  const batches = messages.filter(({ content }) => JSON.stringify(content).includes('"tool_result"')).length;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const usage = { input_tokens: 100, output_tokens: 20 };
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], stop_reason: null, usage };
  send(response, { type: "message_start", message });
  let index = 0;
  send(response, { type: "content_block_start", index, content_block: { type: "text", text: "" } });
  for (const text of WORDS) send(response, { type: "content_block_delta", index, delta: { type: "text_delta", text } });
  send(response, { type: "content_block_stop", index });
  const over = batches >= iterations;
  for (let call = 0; !over && call < calls; call += 1) {
    index += 1;
    const block = { type: "tool_use", id: `toolu_${batches}_${call}`, name: "echo", input: {} };
    const json = JSON.stringify({ text: `batch ${batches}, call ${call}` });
    send(response, { type: "content_block_start", index, content_block: block });
    for (const partial_json of [json.slice(0, 12), json.slice(12)]) {
      send(response, { type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } });
    }
    send(response, { type: "content_block_stop", index });
  }
  send(response, { type: "message_delta", delta: { stop_reason: over ? "end_turn" : "tool_use" }, usage });
  send(response, { type: "message_stop" });
  response.end();
}

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8");
  request.on("data", (chunk) => {
    body += chunk;
  });
  request.on("end", () => setTimeout(() => answer(response, JSON.parse(body)), THINKING_MS));
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}\n`);
});
