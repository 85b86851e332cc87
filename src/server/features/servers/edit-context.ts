import { AppError } from "../../platform/shared/app-error";
import type { KnownServer } from "./server-directory";
import type { ServerServicePorts } from "./server-ports";
import type { ToolUpdates } from "./tool-updates";

export type EditPorts = Pick<
  ServerServicePorts,
  | "connections"
  | "store"
  | "configured"
  | "maskOf"
  | "setServerTools"
  | "renameServerTools"
  | "forgetServerTools"
  | "onPolicyChanged"
>;

/** What every change to servers works with. */
export interface EditContext {
  ports: EditPorts;
  servers: Map<string, KnownServer>;
  updates: ToolUpdates;
  /** @throws AppError NOT_FOUND */
  find: (name: string) => KnownServer;
  /** Registers the tools and reconnects according to the current settings. */
  applySettings: (server: KnownServer) => Promise<void>;
  publishChange: (name: string) => void;
  /** Changes run one at a time. */
  runExclusive: <T>(change: () => Promise<T>) => Promise<T>;
}

/** @throws AppError READ_ONLY for a server of the configuration */
export function findEditable({ find }: EditContext, name: string): KnownServer & { id: string } {
  const server = find(name);
  if (server.id === null) {
    throw new AppError("READ_ONLY", `Server '${name}' comes from ${server.originPath}: change it there`);
  }
  return server as KnownServer & { id: string };
}
