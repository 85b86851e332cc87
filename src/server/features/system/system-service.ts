import { statSync } from "node:fs";
import type { LoadProblem } from "../../../lib/contract";
import type { LoadedConfig } from "../../adapters/config-file";
import type { ExecutionLimits } from "../../engine/execution-limits";

export interface SystemServicePorts {
  version: string;
  databaseUrl: string;
  config: LoadedConfig;
  limits: ExecutionLimits;
  handlers: () => { builtin: string[]; internal: string[] };
  counts: () => Promise<{ executions: number; replays: number; running: number }>;
  catalogue: () => { items: readonly unknown[]; problems: LoadProblem[] };
}

/** What runs here and how: for the settings page and the first-run path. */
export function createSystemService(ports: SystemServicePorts) {
  const { config } = ports;
  return {
    async info() {
      const { items, problems } = ports.catalogue();
      return {
        version: ports.version,
        node: process.version,
        databaseUrl: ports.databaseUrl,
        databaseBytes: sizeOf(ports.databaseUrl.replace(/^file:/, "")),
        configPath: config.path,
        configExists: config.exists,
        usingExample: config.usingExample,
        limits: ports.limits,
        handlers: { ...ports.handlers(), modules: config.modules },
        counts: { tools: items.length, ...(await ports.counts()) },
        problems,
      };
    },
  };
}

function sizeOf(file: string): number | null {
  try {
    return statSync(file).size;
  } catch {
    return null;
  }
}
