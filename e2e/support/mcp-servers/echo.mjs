// A well-behaved server. `echo` answers with the line that its call came in, so that a test sees what was really sent.
import { serveStdio, text } from "./stdio-server.mjs";

serveStdio({
  name: process.env.SERVER_NAME ?? "echo",
  tools: [
    {
      name: "echo",
      description: "Gives back its arguments",
      run: (args, { params }) => ({ ...text(JSON.stringify(args)), structuredContent: { raw: params } }),
    },
    { name: "who", description: "Says which server it is", run: () => text(process.env.SERVER_NAME ?? "echo") },
    {
      name: "where",
      description: "Its folder and variables",
      run: () => text(JSON.stringify({ cwd: process.cwd(), env: process.env })),
    },
    {
      name: "refuse",
      description: "Answers with isError",
      run: () => ({ ...text("the file is locked"), isError: true }),
    },
    { name: "bare", description: "Answers without content", run: () => ({ note: 1 }) },
    {
      name: "odd",
      description: "Answers with content of a kind that no client knows",
      run: () => ({
        content: [
          { type: "hologram", data: 1 },
          { type: "image", data: "not base64!", mimeType: "image/png" },
        ],
      }),
    },
    {
      name: "log",
      description: "Logs",
      run: (_, { send }) => {
        send({
          jsonrpc: "2.0",
          method: "notifications/message",
          params: { level: "warning", logger: "disk", data: "nearly full" },
        });
        return text("logged");
      },
    },
    {
      name: "tell_secret",
      description: "Prints a variable to stderr",
      run: () => {
        process.stderr.write(`token is ${process.env.API_TOKEN}\n`);
        return text("told");
      },
    },
  ],
});
