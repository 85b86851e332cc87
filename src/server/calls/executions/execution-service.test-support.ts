import type { ExecutionServicePorts } from "./execution-ports";
import { createExecutionService } from "./execution-service";

/** No call used a personal credential. */
const NO_PRIVATE_CALLS: ExecutionServicePorts["privateCalls"] = {
  hidden: async () => new Set(),
  mayReadRun: async () => true,
  servers: () => ({ personal: [], open: [] }),
};

/** The service with the reads of an admin. */
export function createOpenExecutionService(ports: Omit<ExecutionServicePorts, "privateCalls">) {
  const service = createExecutionService({ ...ports, privateCalls: NO_PRIVATE_CALLS });
  return { ...service, ...service.readsFor({ id: "", role: "admin" }) };
}
