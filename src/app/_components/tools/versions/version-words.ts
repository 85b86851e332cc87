import type { ToolVersion } from "@/lib/contract/tool-version";

/** Describes who made a version and how: `Edited by Ada`. */
export function describeCause({ cause, actor, restoredFrom }: Pick<ToolVersion, "cause" | "actor" | "restoredFrom">) {
  const by = actor === null ? "" : ` by ${actor.name}`;
  switch (cause) {
    case "created":
      return actor === null ? "First recorded version" : `Created${by}`;
    case "edited":
      return `Edited${by}`;
    case "restored":
      return `Restored${restoredFrom === null ? "" : ` from version ${restoredFrom}`}${by}`;
    case "imported":
      return `Imported${by}`;
    case "listed":
      return actor === null ? "Listed by its server" : `Listed by its server, approved${by}`;
    case "loaded":
      return "Loaded from configuration or code";
  }
}
