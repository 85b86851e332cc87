import type { Toolset, ToolsetInput } from "../../../lib/contract";

export interface ToolsetStore {
  /** By name. Rows that cannot be read are left out. */
  list(): Promise<Toolset[]>;
  /** @throws AppError with the code CONFLICT for a taken name */
  create(toolset: ToolsetInput): Promise<Toolset>;
  /** @throws AppError with the code CONFLICT for a taken name, NOT_FOUND for an unknown one */
  update(name: string, toolset: ToolsetInput): Promise<Toolset>;
  /** False where there is none of this name. */
  delete(name: string): Promise<boolean>;
}
