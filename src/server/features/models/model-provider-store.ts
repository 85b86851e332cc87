import type { Actor } from "../../../lib/contract/actor";
import type { LastEdit } from "../../../lib/contract/last-edit";
import type { ModelProviderSummary } from "../../../lib/contract/model";
import type { Edit } from "../../platform/shared/edit-conflict";

/** A `baseUrl` of null is the vendor's own address. */
export type ProviderSettings = Pick<ModelProviderSummary, "name" | "kind" | "baseUrl" | "models" | "prices">;

/** A provider made in the console. */
export interface StoredProvider extends ProviderSettings {
  key: string | null;
  /** Why the key cannot be read; null when it can, or where there is none. */
  keyFault: string | null;
  lastEdit: LastEdit;
}

export interface ModelProviderStore {
  /** Lists the providers in the order of their creation. */
  list(): Promise<StoredProvider[]>;
  /** @throws AppError with the code CONFLICT for a taken name */
  create(provider: ProviderSettings, key: string | null, by?: Actor): Promise<StoredProvider>;
  /**
   * @param key undefined keeps what is stored, as it is
   * @throws AppError with the code CONFLICT for a taken name and another revision
   */
  update(
    name: string,
    provider: ProviderSettings,
    key: string | null | undefined,
    edit?: Edit,
  ): Promise<StoredProvider>;
  /** @throws AppError with the code CONFLICT for another revision */
  delete(name: string, revision?: number): Promise<void>;
}
