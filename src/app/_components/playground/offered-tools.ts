import type { NamedTool } from "@/lib/contract/tool-list";

/** The tools that models may be offered. */
export const OFFERED = { offered: true } as const;

/** The input for the number of tools, which the page and its view share. */
export const OFFERED_INPUT = { filter: OFFERED, limit: 1 };

export const isOffered = ({ enabled, appOnly }: NamedTool): boolean => enabled !== false && appOnly !== true;
