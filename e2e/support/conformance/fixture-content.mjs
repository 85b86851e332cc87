// The resources and prompts that the conformance suite asks for by name.
/** @typedef {import("@modelcontextprotocol/server").Server} Server */

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

export const CONTENT_CAPABILITIES = {
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
};

const RESOURCES = [
  { uri: "test://static-text", name: "Static text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "Static binary", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "Watched", mimeType: "text/plain" },
];

/** @param {string} uri */
function listContents(uri) {
  if (uri === "test://static-text") {
    return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
  }
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: PNG };
  if (uri === "test://watched-resource") return { uri, mimeType: "text/plain", text: "Watched resource content" };
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id === undefined) return null;
  const body = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
  return { uri, mimeType: "application/json", text: body };
}

const argument = (/** @type {string} */ name) => ({ name, description: `The ${name}`, required: true });
const said = (/** @type {string} */ text) => ({ role: "user", content: { type: "text", text } });

/** @type {Record<string, { description: string, arguments?: object[], messages: (args: any) => object[] }>} */
const PROMPTS = {
  test_simple_prompt: { description: "Simple", messages: () => [said("This is a simple prompt for testing.")] },
  test_prompt_with_arguments: {
    description: "With arguments",
    arguments: [argument("arg1"), argument("arg2")],
    messages: ({ arg1, arg2 }) => [said(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)],
  },
  test_prompt_with_embedded_resource: {
    description: "With a resource",
    arguments: [argument("resourceUri")],
    messages: ({ resourceUri: uri }) => [
      {
        role: "user",
        content: {
          type: "resource",
          resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        },
      },
      said("Please process the embedded resource above."),
    ],
  },
  test_prompt_with_image: {
    description: "With an image",
    messages: () => [
      { role: "user", content: { type: "image", data: PNG, mimeType: "image/png" } },
      said("Please analyze the image above."),
    ],
  },
};

/** @param {Server} server */
export function serveContent(server) {
  server.setRequestHandler("resources/list", () => ({ resources: RESOURCES }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "Template", mimeType: "application/json" }],
  }));
  server.setRequestHandler("resources/read", ({ params }) => {
    const contents = listContents(params.uri);
    if (contents === null) throw Object.assign(new Error("Resource not found"), { code: -32602, data: params });
    return { contents: [/** @type {any} */ (contents)] };
  });
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.setRequestHandler("prompts/list", () => ({
    prompts: Object.entries(PROMPTS).map(([name, { messages: _, ...prompt }]) => ({ name, ...prompt })),
  }));
  server.setRequestHandler("prompts/get", ({ params }) => {
    const prompt = Object.hasOwn(PROMPTS, params.name) ? PROMPTS[params.name] : undefined;
    if (prompt === undefined) throw Object.assign(new Error("Prompt not found"), { code: -32602 });
    return { messages: /** @type {any} */ (prompt.messages(params.arguments ?? {})) };
  });
  server.setRequestHandler("completion/complete", ({ params }) => ({
    completion: { values: [`${params.argument.value}test`], total: 1, hasMore: false },
  }));
}
