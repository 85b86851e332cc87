import type { SensitiveSetting } from "@/lib/contract/server";
import { linesOf } from "./text-lines";

interface SensitiveDraft {
  sensitiveArguments: string;
  sensitiveResults: string;
}

export function sensitiveLines(
  settings: readonly SensitiveSetting[] | undefined,
  part: SensitiveSetting["in"],
): string {
  const own = (settings ?? []).filter((setting) => setting.in === part);
  return own.map(({ tool, path }) => (tool === undefined ? path : `${tool} ${path}`)).join("\n");
}

/** Paths in arguments first, as `sensitiveField` counts them. */
export function sensitiveOf({ sensitiveArguments, sensitiveResults }: SensitiveDraft): SensitiveSetting[] | undefined {
  const read = (text: string, part: SensitiveSetting["in"]): SensitiveSetting[] =>
    linesOf(text).map((line) => {
      const at = line.search(/\s\S*$/);
      if (at < 0) return { in: part, path: line };
      return { tool: line.slice(0, at).trim(), in: part, path: line.slice(at).trim() };
    });
  const all = [...read(sensitiveArguments, "arguments"), ...read(sensitiveResults, "results")];
  return all.length === 0 ? undefined : all;
}

/** The fields of the lines of one part, by line. */
export function sensitiveFields(
  { sensitiveArguments, sensitiveResults }: SensitiveDraft,
  part: SensitiveSetting["in"],
) {
  const before = part === "arguments" ? 0 : linesOf(sensitiveArguments).length;
  const lines = linesOf(part === "arguments" ? sensitiveArguments : sensitiveResults);
  return lines.map((line, at) => ({ line, field: `sensitive[${before + at}]` }));
}
