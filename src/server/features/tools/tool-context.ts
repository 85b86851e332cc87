import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalPolicy } from "../../../lib/contract/approval";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import type { ToRequestBody, ToWireFormat } from "../../engine/agent/chat-ports";
import type { ArgumentValidator, Clock, ExecutionLimits, Handlers, Logger } from "../../engine/ports";
import type { ToolRegistry } from "../../engine/registry/tool-registry";
import type { Renames } from "../../engine/toolsets/rename-in-toolset";
import { createMutex } from "../../platform/shared/mutex";
import { createCatalogue } from "./catalogue";
import { createToolApprovals } from "./tool-approvals";
import { createToolFacts } from "./tool-facts";
import { createToolHistory } from "./tool-history";
import type { ToolStore } from "./tool-store";
import { createToolViews } from "./tool-views";

export interface ToolServicePorts {
  registry: ToolRegistry;
  validator: ArgumentValidator;
  store: ToolStore;
  handlers: { builtins: Handlers; internals: Handlers };
  limits: ExecutionLimits;
  hashOf: (definition: ToolDefinition) => string;
  logger: Logger;
  clock: Clock;
  /** Which tools require approval where nothing else decides it; `destructive` when absent. */
  approvalPolicy?: ApprovalPolicy | undefined;
  /** The approval policy of an MCP server; null, or absent, where its tools follow `approvalPolicy`. */
  serverPolicy?: ((server: string) => ApprovalPolicy | null) | undefined;
  /** Whether people have accounts; false when absent. */
  accounts?: boolean | undefined;
  /** A person with an active account; absent while accounts are off. */
  findPerson?: ((id: string) => Promise<Actor | null>) | undefined;
  /** What is wrong with the expression of a lens, null for one that can be used; absent: it is not checked. */
  checkLens?: ((expression: string) => string | null) | undefined;
  wireFormat: ToWireFormat;
  requestBody: ToRequestBody;
  /** Called when tools of the console or of a server were renamed; absent: nothing else names them. */
  onRenamed?: ((renamed: Renames) => Promise<void>) | undefined;
  /** Called after the catalogue changed. */
  onChange: () => void;
}

export type ToolContext = ReturnType<typeof createToolContext>;

/** What the parts of the tool service share. */
export function createToolContext(ports: ToolServicePorts) {
  const approvals = createToolApprovals(ports.store, {
    global: ports.approvalPolicy ?? "destructive",
    ofServer: ports.serverPolicy ?? (() => null),
  });
  const facts = createToolFacts(ports.store);
  const catalogue = createCatalogue(ports.registry, facts.applyTo);
  return {
    ...ports,
    catalogue,
    facts,
    approvals,
    history: createToolHistory({ store: ports.store.versions, logger: ports.logger }),
    views: createToolViews({ ...ports, approvals, facts, isKnown: (name) => catalogue.entries.has(name) }),
    checkSchema: (schema: ToolDefinition["parameters"]): string | null =>
      ports.validator.checkSchema(schema, { compile: true }),
    /** Each change reads the catalogue before it writes: one at a time. */
    runExclusive: createMutex(),
  };
}
