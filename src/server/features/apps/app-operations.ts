import { z } from "zod";
import { APP_REQUESTS } from "../../../lib/contract/app";
import { appDocumentSchema } from "../../../lib/contract/app-schema";
import { executionDetailSchema } from "../../../lib/contract/execution";
import { act, operations } from "../../platform/api/operation";
import { executionIdSchema } from "../../platform/api/route-inputs";

const executionId = executionIdSchema;
const audit = {
  unrecorded: "The execution records it",
  target: (input: { executionId: string }) => ({ kind: "execution", name: input.executionId }),
};

/** MCP Apps that the console shows, and their requests to their servers. */
export const appOperations = operations("apps", {
  open: act({
    rest: "POST /executions/{executionId}/app",
    summary: "Read the App of an execution's tool from its server",
    allow: "run",
    input: z.object({ executionId, fresh: z.boolean().optional().describe("Read again, though it was read before") }),
    output: appDocumentSchema,
    audit,
    run: ({ services, actor }, input) => services.apps.open(actor, input),
  }),
  callTool: act({
    rest: null,
    unrouted: "Only an App that the console shows calls this way: POST /tools/{name}/execute runs the same tool",
    summary: "Call a tool for an App, of its own server",
    allow: "run",
    input: z.object({
      executionId,
      tool: z.string().min(1).max(200),
      argumentsText: z.string().max(1_000_000),
      callExecutionId: executionId,
    }),
    output: executionDetailSchema,
    audit,
    run: ({ services, actor }, input) => services.apps.callTool(actor, input),
  }),
  request: act({
    rest: null,
    unrouted:
      "Only an App that the console shows asks this way: GET /servers/{name}/resources lists the same, and POST /servers/{name}/resources/read reads it",
    summary: "List tools or resources, or read a resource, for an App, of its own server",
    allow: "run",
    input: z.object({ executionId, method: z.enum(APP_REQUESTS), uri: z.string().min(1).max(8192).optional() }),
    output: z.unknown(),
    audit,
    run: ({ services, actor }, input) => services.apps.request(actor, input),
  }),
});
