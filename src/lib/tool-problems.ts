import type { ToolSummary } from "./contract/catalog-tool";

/** Whether the definition of a tool has a warning for its author. */
export const hasProblems = ({ quality }: Pick<ToolSummary, "quality">): boolean =>
  quality.some(({ severity }) => severity === "warning");
