import { type inferParserType, parseAsArrayOf, parseAsString, parseAsStringLiteral } from "nuqs/server";
import type { ToolSelection } from "@/lib/contract/run";
import type { SettingsDraft } from "./settings-draft";

/** The current run and the settings of its next message, in the address. */
export const PLAYGROUND_PARAMS = {
  run: parseAsString,
  provider: parseAsString,
  model: parseAsString,
  toolset: parseAsStringLiteral(["all", "none", "some"] as const),
  tools: parseAsArrayOf(parseAsString),
  servers: parseAsArrayOf(parseAsString),
  /** The name of a toolset, in place of a choice of tools. */
  set: parseAsString,
};

type PlaygroundParams = inferParserType<typeof PLAYGROUND_PARAMS>;

/** Longer choices of tools are kept with the run alone: addresses have an end. */
const MAX_CHARS = 1_500;

/** Applies the address to the draft: the address wins over the last run. `/playground?tools=echo` selects one tool. */
export function withParams(draft: SettingsDraft, params: PlaygroundParams): SettingsDraft {
  const named = params.provider !== null && params.model !== null;
  return {
    ...draft,
    ...(named ? { provider: params.provider ?? "", model: params.model ?? "" } : {}),
    tools: toSelection(params) ?? draft.tools,
  };
}

function toSelection({ toolset, tools, servers, set }: PlaygroundParams): ToolSelection | null {
  if (set !== null && set !== "") return { mode: "toolset", toolset: set.slice(0, 100) };
  if (toolset === "all" || toolset === "none") return { mode: toolset };
  if (toolset === null && tools === null && servers === null) return null;
  return { mode: "some", tools: (tools ?? []).slice(0, 2000), servers: (servers ?? []).slice(0, 200) };
}

type Chosen = Omit<PlaygroundParams, "run">;

/** No choices beside the settings that the run keeps. */
export const NO_CHOICES: Chosen = { provider: null, model: null, toolset: null, tools: null, servers: null, set: null };

/** Returns the part of a draft that the address holds. */
export function toChoices({ provider, model, tools }: SettingsDraft): Chosen {
  const named = { provider, model: model.slice(0, 200) };
  if (tools.mode === "toolset") return { ...NO_CHOICES, ...named, set: tools.toolset };
  if (tools.mode !== "some") return { ...NO_CHOICES, ...named, toolset: tools.mode };
  const length = [...tools.tools, ...tools.servers].join(",").length;
  if (length > MAX_CHARS) return { ...NO_CHOICES, ...named };
  return { ...NO_CHOICES, ...named, toolset: "some", tools: tools.tools, servers: tools.servers };
}
