import { z } from "zod";
import { addedAgentToolsSchema, agentEndpointSchema, agentToolSchema } from "../../../lib/contract/agent-tools";
import { act, operations, read } from "../../platform/api/operation";

/** Toolroom's own operations as tools of agents. */
export const agentOperations = operations(
  "agents",
  {
    tools: read({
      rest: "GET /agents/tools",
      summary: "List Toolroom's own tools for agents, and which of them are in the catalog",
      allow: "read",
      output: z.array(agentToolSchema),
      run: ({ services }) => services.agents.listTools(),
      cli: {
        words: "tools",
        examples: [
          ["toolroom agents tools", "as a table"],
          ["toolroom agents tools --json", "with the operation that each performs, as JSON"],
        ],
        table: {
          columns: {
            NAME: ({ name }) => name,
            CHANGES: ({ annotations }) => (annotations.readOnlyHint === true ? "nothing" : "yes"),
            CATALOG: ({ inCatalog }) => (inCatalog ? "yes" : "no"),
            DESCRIPTION: ({ description }) => description,
          },
          empty: "There are no tools.",
        },
      },
    }),
    endpoint: read({
      rest: "GET /agents/endpoint",
      summary: "Get whether /mcp/toolroom is served",
      allow: "read",
      output: agentEndpointSchema,
      run: ({ services }) => services.agents.getEndpoint(),
    }),
    setEndpoint: act({
      rest: "PUT /agents/endpoint",
      summary: "Switch /mcp/toolroom on or off",
      allow: "administer",
      input: z.strictObject({ enabled: z.boolean() }),
      output: agentEndpointSchema,
      audit: {
        target: () => ({ kind: "setting", name: "endpoint for agents" }),
        state: ({ agents }) => ({ enabled: agents.getEndpoint().enabled }),
      },
      run: ({ services, actor }, { enabled }) => services.agents.setEndpoint(actor, enabled),
    }),
    addTools: act({
      rest: "POST /agents/tools",
      summary: "Add Toolroom's own tools to the catalog, so that runs and toolsets can use them",
      allow: "edit",
      output: addedAgentToolsSchema,
      audit: { target: () => ({ kind: "tool", name: "Toolroom's own tools" }), after: (outcome) => outcome },
      run: ({ services, actor }) => services.agents.addTools(actor),
      cli: {
        words: "add",
        examples: [
          ["toolroom agents add", "tools whose names are taken stay as they are"],
          ["toolroom agents add --json", "the names that were added, and those that were there"],
        ],
        say: ({ added, present }) =>
          added.length === 0
            ? "The catalog has tools of all these names already."
            : `Added ${added.join(", ")}.${present.length === 0 ? "" : ` Already there: ${present.join(", ")}.`}`,
      },
    }),
  },
  {
    summary: "List Toolroom's own tools for agents, and add them to the catalog",
    examples: ["toolroom agents tools", "toolroom agents add"],
  },
);
