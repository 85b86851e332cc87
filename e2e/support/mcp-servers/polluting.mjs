// Prints text to standard output that is not a protocol message.
import { send, serveStdio, text } from "./stdio-server.mjs";

process.stdout.write("debug: starting up\n");

serveStdio({
  name: "polluting",
  tools: [
    { name: "ok", run: () => text("fine") },
    {
      name: "line",
      run: () => {
        process.stdout.write("debug: reading the table\n\n   \n");
        return text("after a line");
      },
    },
    {
      name: "glued",
      run: (_, { id }) => {
        process.stdout.write(`debug: no newline ${JSON.stringify({ jsonrpc: "2.0", id, result: text("glued") })}\n`);
      },
    },
    {
      name: "glued_brace",
      run: (_, { id }) => {
        process.stdout.write(
          `debug {unclosed ${JSON.stringify({ result: text('a "quoted" {brace}'), jsonrpc: "2.0", id })} trailing\n`,
        );
      },
    },
    {
      name: "json",
      run: () => {
        process.stdout.write('{"level":"info","msg":"a structured log line"}\n"just a string"\n');
        return text("after json");
      },
    },
    // The answer is torn apart by other text, and never comes whole.
    {
      name: "torn",
      run: (_, { id }) => {
        process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[WARN cache miss\n`);
      },
    },
    // The answer is lost without a trace of its id.
    {
      name: "swallowed",
      run: () => {
        process.stdout.write("WARN something overwrote the answer\n");
      },
    },
    { name: "no_object", run: (_, { id }) => send({ jsonrpc: "2.0", id, result: "just text" }) },
    { name: "no_error", run: (_, { id }) => send({ jsonrpc: "2.0", id, error: "it broke" }) },
  ],
});
