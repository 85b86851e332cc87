import type { ApprovalService } from "../features/approvals/approval-service";
import type { ContentService } from "../features/content/content-service";
import type { ExecutionService } from "../features/executions/execution-service";
import type { InteractionService } from "../features/interactions/interaction-service";
import type { createRunService } from "../features/runs/run-service";
import type { SamplingService } from "../features/sampling/sampling-service";
import type { ServerService } from "../features/servers/server-service";
import type { UpstreamCredentialService } from "../features/servers/upstream-credential-service";
import type { ToolService } from "../features/tools/tool-service";
import type { ToolsetService } from "../features/toolsets/toolset-service";

interface Services {
  tools: ToolService;
  toolsets: ToolsetService;
  executions: ExecutionService;
  approvals: ApprovalService;
  servers: ServerService;
  interactions: InteractionService;
  sampling: SamplingService;
  content: ContentService;
  credentials: UpstreamCredentialService;
  runs: ReturnType<typeof createRunService>;
}

/** Services that others call back and that are constructed after them; each is added here once it exists. */
export class LateServices {
  readonly #services: Partial<Services> = {};

  add(services: Partial<Services>): void {
    Object.assign(this.#services, services);
  }

  find<Name extends keyof Services>(name: Name): Services[Name] | undefined {
    return this.#services[name];
  }

  get<Name extends keyof Services>(name: Name): Services[Name] {
    const service = this.find(name);
    if (service === undefined) throw new Error("The server is still starting");
    return service;
  }
}
