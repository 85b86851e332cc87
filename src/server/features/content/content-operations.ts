import { z } from "zod";
import { contentAnswerSchema, serverPromptSchema, serverResourceSchema } from "../../../lib/contract/server-content";
import { act, operations, read } from "../../platform/api/operation";

const name = z.string().min(1).max(200);
const byName = z.object({ name });
const audit = {
  unrecorded: "The execution records it",
  target: (input: { name: string }) => ({ kind: "server", name: input.name }),
};

/** Resources and prompts of MCP servers. */
export const contentOperations = operations("content", {
  resources: read({
    rest: "GET /servers/{name}/resources",
    summary: "List the resources and resource templates of an MCP server as it has them now",
    allow: "run",
    input: byName,
    output: z.array(serverResourceSchema),
    run: ({ services, actor }, input) => services.content.resources(actor, input.name),
  }),
  prompts: read({
    rest: "GET /servers/{name}/prompts",
    summary: "List the prompts of an MCP server as it has them now",
    allow: "run",
    input: byName,
    output: z.array(serverPromptSchema),
    run: ({ services, actor }, input) => services.content.prompts(actor, input.name),
  }),
  readResource: act({
    rest: "POST /servers/{name}/resources/read",
    summary: "Read a resource of an MCP server. The read is recorded as an execution",
    allow: "run",
    input: z.object({ name, uri: z.string().min(1).max(8192) }),
    output: contentAnswerSchema,
    audit,
    run: ({ services, actor }, input) => services.content.readResource(actor, input.name, input.uri),
  }),
  getPrompt: act({
    rest: "POST /servers/{name}/prompts/{prompt}",
    summary: "Get a prompt of an MCP server with arguments. It is recorded as an execution",
    allow: "run",
    input: z.object({ name, prompt: z.string().max(1000), args: z.record(z.string(), z.string()).default({}) }),
    output: contentAnswerSchema,
    audit,
    run: ({ services, actor }, input) => services.content.getPrompt(actor, input.name, input.prompt, input.args),
  }),
});
