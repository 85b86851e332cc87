import type { StatisticDimension } from "../../../../lib/contract/statistics";
import { type CallFacts, getProgram } from "./call-facts";

/** `tool.caller` and `tool.version` group the calls of each tool; `all` has one group. */
export type StoredDimension = "all" | StatisticDimension | "tool.caller" | "tool.version";

/** How long figures by minute are kept: as long as there are calls, for two days, or not at all. */
export type Minutes = "kept" | "recent" | "none";

interface Dimension {
  minutes: Minutes;
  /** The group of a call; null where it belongs to none. */
  group(facts: CallFacts): { value: string; detail: string } | null;
}

const byValue = (minutes: Minutes, toValue: (facts: CallFacts) => string | null): Dimension => ({
  minutes,
  group(facts) {
    const value = toValue(facts);
    return value === null ? null : { value, detail: "" };
  },
});

const ofTool = (toDetail: (facts: CallFacts) => string): Dimension => ({
  minutes: "none",
  group: (facts) => ({ value: facts.toolName, detail: toDetail(facts) }),
});

/** Marks the source of calls without a program: no program's name begins with it. */
export const NO_PROGRAM = "\n";

export const DIMENSIONS: Readonly<Record<StoredDimension, Dimension>> = {
  // Days of any time zone are made of hours, and where its clocks differ by parts of an hour, of minutes.
  all: byValue("kept", () => ""),
  tool: byValue("recent", ({ toolName }) => toolName),
  server: byValue("recent", ({ serverName }) => serverName),
  source: byValue("recent", ({ source }) => source),
  client: byValue("recent", ({ client }) => getProgram(client)),
  actor: byValue("none", ({ actorId }) => actorId),
  toolset: byValue("none", ({ toolset }) => toolset),
  "tool.caller": ofTool(({ client, source }) => getProgram(client) ?? `${NO_PROGRAM}${source}`),
  "tool.version": ofTool(({ definitionHash }) => definitionHash ?? ""),
};

export const STORED_DIMENSIONS = Object.keys(DIMENSIONS) as StoredDimension[];
