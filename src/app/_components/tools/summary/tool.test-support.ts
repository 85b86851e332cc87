import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import type { ToolDetail } from "@/lib/contract/catalog-tool";

/** The tool of `executionDetail`, as a server lists it. */
export function toolDetail(part: Partial<ToolDetail> = {}): ToolDetail {
  const { definition } = executionDetail();
  if (definition === null) throw new Error("the test's execution has a definition");
  return {
    name: "get_weather",
    title: null,
    description: "",
    implementationType: "mcp",
    handler: null,
    server: null,
    origin: "server",
    originPath: null,
    enabled: true,
    tags: [],
    annotations: {},
    quality: [],
    updatedAt: null,
    parameterCount: 1,
    requiredCount: 1,
    definition,
    definitionHash: "9f2c41aa",
    timeoutMs: 1000,
    editable: false,
    approval: { required: false, because: "policy", mode: null },
    deprecation: null,
    owner: null,
    held: null,
    heldChange: null,
    lens: null,
    schemaNotes: [],
    ...part,
  };
}
