import { silentLogger, systemClock, type ToolEngine } from "../../create-tool-engine";
import { wireFormat } from "../../models/wire-format";
import type { Database } from "../../platform/db/database";
import { hashDefinition } from "../../platform/db/definition-hash";
import { createToolFinder } from "../../platform/workers/tool-finder";
import { createToolStore } from "./db/tool-store";
import { createToolService, type ToolServicePorts } from "./tool-service";

type Engine = Pick<ToolEngine, "handlers" | "lenses" | "limits" | "registry" | "validator">;

/** For tests: the tools of an engine on a real database, not loaded yet. */
export function createTestToolService(
  { registry, validator, handlers, limits, lenses }: Engine,
  db: Database,
  more: Partial<ToolServicePorts> = {},
) {
  return createToolService({
    registry,
    validator,
    handlers,
    limits,
    wireFormat,
    clock: systemClock,
    logger: silentLogger,
    store: createToolStore({ db }),
    createFinder: createToolFinder,
    requestBody: async () => null,
    checkLens: lenses.check,
    hashDefinition: hashDefinition,
    onChange: () => undefined,
    ...more,
  });
}
