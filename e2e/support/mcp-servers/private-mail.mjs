// A server whose answers belong to one user: its texts repeat the argument `query` in results, errors, logs and progress.
import { send, serveStdio, text } from "./stdio-server.mjs";

const inputSchema = { type: "object", properties: { query: { type: "string" } }, required: ["query"] };

/** @param {string} method @param {object} params */
const notify = (method, params) => send({ jsonrpc: "2.0", method: `notifications/${method}`, params });

/** @param {{ query: string }} args @param {{ params: { _meta?: { progressToken?: string } } }} call */
function readMail({ query }, { params }) {
  const progressToken = params._meta?.progressToken;
  if (progressToken !== undefined) notify("progress", { progressToken, progress: 1, message: `at ${query}` });
  notify("message", { level: "warning", data: `reading ${query}` });
  process.stderr.write(`mail of ${query}\n`);
  return { ...text(`mail of ${process.env.SERVER_NAME}: ${query}`), structuredContent: { subject: `about ${query}` } };
}

serveStdio({
  name: "mail",
  capabilities: { tools: {}, logging: {} },
  tools: [
    { name: "read", description: "Reads mail", inputSchema, run: readMail },
    {
      name: "refuse",
      description: "Fails",
      inputSchema,
      run: ({ query }) => ({ ...text(`no mail for ${query}`), isError: true }),
    },
  ],
});
