import type { Actor } from "../../../lib/contract/actor";
import type { ToolLens } from "../../../lib/contract/lens";
import type { DeprecatedKey, ToolDefinition } from "../../../lib/contract/tool-definition";

/** What people say of tools beside their definitions. By the tool's name, so that a server's tool has it after a restart too. */
export interface ToolFactStore {
  /** By tool. A tool without a row is owned by who created it, where its history says so. */
  owners(): Promise<Map<string, Actor>>;
  /** @param owner null: nobody */
  setOwner(name: string, owner: Actor | null): Promise<void>;
  /** Of tools that are not the console's own, by tool. */
  deprecations(): Promise<Map<string, DeprecatedKey>>;
  /**
   * Writes the setting together with the version that it makes of the tool.
   * @param deprecated undefined removes it
   */
  setDeprecation(
    deprecated: DeprecatedKey | undefined,
    version: { definition: ToolDefinition; by: Actor },
  ): Promise<void>;
  /** By tool. */
  lenses(): Promise<Map<string, ToolLens>>;
  /** @param lens null removes it */
  setLens(name: string, lens: ToolLens | null): Promise<void>;
  /** The names of the tools that a person gave a star, sorted. */
  favorites(personId: string): Promise<string[]>;
  setFavorite(personId: string, name: string, favorite: boolean): Promise<void>;
  /** Moves all of it to a tool's new name, replacing what an earlier tool left there. */
  renameFacts(from: string, to: string): Promise<void>;
  /** Removes all of it for tools whose names begin so, except these. */
  forgetFacts(prefix: string, except: readonly string[]): Promise<void>;
}
