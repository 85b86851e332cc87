// Asks the user while its tools run.
import { ask, lastAsked, send, serveStdio, text } from "./stdio-server.mjs";

const SAMPLE = { messages: [{ role: "user", content: { type: "text", text: "Say hi" } }], maxTokens: 10 };
/** The capabilities that the client declared. */
let capabilities = {};
const SCHEMA = { type: "object", properties: { age: { type: "integer" } }, required: ["age"] };

serveStdio({
  name: "asking",
  tools: [
    {
      name: "form",
      run: async () =>
        text(JSON.stringify(await ask("elicitation/create", { message: "How old?", requestedSchema: SCHEMA }))),
    },
    {
      name: "url",
      run: async () => {
        const params = { mode: "url", message: "Open it", url: "https://example.com/a", elicitationId: "e1" };
        return text(JSON.stringify(await ask("elicitation/create", params)));
      },
    },
    {
      name: "sample",
      run: async (args) => text(JSON.stringify(await ask("sampling/createMessage", { ...SAMPLE, ...args?.params }))),
    },
    // Asks again and again, and gives the last answer.
    {
      name: "sample_often",
      run: async ({ times }) => {
        let last;
        for (let at = 0; at < times; at += 1) last = await ask("sampling/createMessage", SAMPLE);
        return text(JSON.stringify(last));
      },
    },
    { name: "capabilities", run: () => text(JSON.stringify(capabilities)) },
    { name: "unknown", run: async () => text(JSON.stringify(await ask("no/such", {}))) },
    { name: "roots", run: async () => text(JSON.stringify(await ask("roots/list", {}))) },
    // Asks, and ends the call without waiting for the answer.
    {
      name: "impatient",
      run: () => {
        void ask("elicitation/create", { message: "Never mind", requestedSchema: SCHEMA });
        return new Promise((resolve) => setTimeout(() => resolve(text("done anyway")), 100));
      },
    },
    // Asks, then withdraws the question.
    {
      name: "fickle",
      run: () => {
        void ask("elicitation/create", { message: "Forget it", requestedSchema: SCHEMA });
        const requestId = lastAsked();
        return new Promise((resolve) =>
          setTimeout(() => {
            send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
            setTimeout(() => resolve(text("withdrawn")), 100);
          }, 50),
        );
      },
    },
    { name: "hang", run: () => undefined },
  ],
  handle: ({ id, method, params }) => {
    if (method === "initialize") capabilities = params.capabilities;
    // A resource whose contents are the answer to a request outside of any call.
    if (method === "resources/read") {
      void ask("sampling/createMessage", SAMPLE).then((answer) => send({ jsonrpc: "2.0", id, result: answer }));
      return true;
    }
  },
});
