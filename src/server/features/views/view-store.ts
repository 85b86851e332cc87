import type { SavedView } from "../../../lib/contract/saved-view";

export type ViewChange = Pick<SavedView, "name" | "query" | "updatedAt" | "updatedBy">;

export interface ViewStore {
  /** Lists the views by name. */
  list(): Promise<SavedView[]>;
  find(id: string): Promise<SavedView | null>;
  /** @returns false where another view has the name, in any case */
  create(view: SavedView): Promise<boolean>;
  update(id: string, change: ViewChange): Promise<"saved" | "unknown" | "taken">;
  /** @returns false for an unknown one */
  delete(id: string): Promise<boolean>;
}
