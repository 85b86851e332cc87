// Asks the person while its tools run.
import { send, serveStdio, text } from "./stdio-server.mjs";

/** @type {Map<unknown, (answer: any) => void>} */
const waiting = new Map();
let nextId = 1;

/** @param {string} method @param {unknown} params @returns {Promise<any>} */
function ask(method, params) {
  const id = `ask-${nextId++}`;
  send({ jsonrpc: "2.0", id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

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
      run: async () => {
        const params = { messages: [{ role: "user", content: { type: "text", text: "Say hi" } }], maxTokens: 10 };
        return text(JSON.stringify(await ask("sampling/createMessage", params)));
      },
    },
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
        const requestId = `ask-${nextId - 1}`;
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
  handle: ({ id, method, result, error }) => {
    const resolve = method === undefined ? waiting.get(id) : undefined;
    resolve?.({ result, error });
    return resolve !== undefined;
  },
});
