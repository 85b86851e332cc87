import type { ModelProviderSummary } from "../../../lib/contract";

/** A `baseUrl` of null is the vendor's own address. */
export type ProviderSettings = Pick<ModelProviderSummary, "name" | "kind" | "baseUrl" | "models" | "prices">;

/** A provider made in the console. */
export interface StoredProvider extends ProviderSettings {
  key: string | null;
  /** Why its key cannot be read; null when it can, or where there is none. */
  keyFault: string | null;
}

export interface ModelProviderStore {
  /** In order of their making. */
  list(): Promise<StoredProvider[]>;
  /** @throws AppError with the code CONFLICT for a taken name */
  create(provider: ProviderSettings, key: string | null): Promise<StoredProvider>;
  /**
   * @param key undefined keeps what is stored, as it is
   * @throws AppError with the code CONFLICT for a taken name
   */
  update(name: string, provider: ProviderSettings, key: string | null | undefined): Promise<StoredProvider>;
  delete(name: string): Promise<void>;
}
