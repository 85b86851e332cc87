import { z } from "zod";
import { toolAnnotationsSchema } from "./tool-definition-schema";

export const agentEndpointSchema = z.object({
  enabled: z.boolean().describe("Whether the endpoint is switched on"),
  served: z.boolean().describe("False where it is switched on and something else has its address"),
  path: z.string(),
  setBy: z.enum(["environment", "settings"]).describe("`environment`: TOOLROOM_AGENT_ENDPOINT decides"),
  problem: z.string().nullable().describe("Why it is not served although it is switched on"),
});
export type AgentEndpoint = z.infer<typeof agentEndpointSchema>;

export const agentToolSchema = z.object({
  name: z.string(),
  description: z.string(),
  operation: z.string().describe("The operation that it performs, as audit entries name it"),
  annotations: toolAnnotationsSchema,
  inCatalog: z.boolean().describe("A tool of the catalog has this handler"),
});
export type AgentToolSummary = z.infer<typeof agentToolSchema>;

export const addedAgentToolsSchema = z.object({
  added: z.array(z.string()),
  present: z.array(z.string()).describe("Tools of the catalog had these names already: they stay as they are"),
});
