// A Chat Completions API on loopback with oversized responses: the model's name selects one.
//   arguments-50mb   one call whose arguments are 50 MB
//   calls-1000       that many calls in one answer
//   text-50mb        50 MB of text
//   chunks-100000    that many chunks of text
import { once } from "node:events";
import { createServer } from "node:http";

const MEGABYTE = "x".repeat(1_000_000);

/** @param {object} delta @param {string | null} [finish_reason] */
const chunk = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** @param {string} model */
function* answer(model) {
  yield chunk({ role: "assistant", content: "" });
  if (model === "text-50mb") {
    for (let part = 0; part < 50; part += 1) yield chunk({ content: MEGABYTE });
    yield chunk({}, "stop");
    return;
  }
  if (model.startsWith("chunks-")) {
    for (let part = 0; part < Number(model.split("-")[1]); part += 1) yield chunk({ content: `word ${part} ` });
    yield chunk({}, "stop");
    return;
  }
  if (model === "arguments-50mb") {
    const call = (/** @type {object} */ more) => chunk({ tool_calls: [{ index: 0, ...more }] });
    yield call({ id: "call_0", type: "function", function: { name: "echo", arguments: '{"query":"' } });
    for (let part = 0; part < 50; part += 1) yield call({ function: { arguments: MEGABYTE } });
    yield call({ function: { arguments: '"}' } });
  } else {
    for (let index = 0; index < Number(model.split("-")[1]); index += 1) {
      const fn = { name: "echo", arguments: JSON.stringify({ query: `query ${index}` }) };
      yield chunk({ tool_calls: [{ index, id: `call_${index}`, type: "function", function: fn }] });
    }
  }
  yield chunk({}, "tool_calls");
}

const server = createServer(async (request, response) => {
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += part;
  if (request.method !== "POST") {
    response.end(JSON.stringify({ data: [] }));
    return;
  }
  const { model, messages } = JSON.parse(body);
  response.writeHead(200, { "content-type": "text/event-stream" });
  const told = messages.some((/** @type {{ role: string }} */ { role }) => role === "tool");
  const closed = once(response, "close");
  for (const text of told ? [chunk({ content: "done" }), chunk({}, "stop")] : answer(model)) {
    if (response.destroyed) return;
    if (!response.write(text)) await Promise.race([once(response, "drain"), closed]);
  }
  response.end("data: [DONE]\n\n");
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/v1\n`);
});
