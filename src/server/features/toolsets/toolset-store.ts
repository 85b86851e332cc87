import type { Actor } from "../../../lib/contract/actor";
import type { Toolset, ToolsetInput } from "../../../lib/contract/toolset";
import type { Edit } from "../../platform/shared/edit-conflict";

export interface ToolsetStore {
  /** Lists the toolsets by name. Rows that cannot be read are left out. */
  list(): Promise<Toolset[]>;
  /** @throws AppError with the code CONFLICT for a taken name */
  create(toolset: ToolsetInput, by?: Actor): Promise<Toolset>;
  /** @throws AppError with the code CONFLICT for a taken name and another revision, NOT_FOUND for an unknown one */
  update(name: string, toolset: ToolsetInput, edit?: Edit): Promise<Toolset>;
  /** @throws the same errors as `update` */
  delete(name: string, revision?: number): Promise<void>;
}
