import type { Permission } from "@/lib/contract/access";

export interface FirstRunFacts {
  counts: { tools: number; executions: number; replays: number };
  /** A tool to begin with; null where none is enabled. */
  sampleTool: string | null;
  /** The newest execution, as proof. */
  execution: { id: string; toolName: string } | null;
}

export interface FirstRunStep {
  id: "run" | "find" | "replay";
  title: string;
  /** Exactly one step is next; what lies behind it waits. */
  state: "done" | "next" | "later";
  /** The purpose of the step, or the evidence that it is done. */
  text: string;
  link: { href: string; label: string; needs?: Permission } | null;
}

/** Over once a call was replayed. */
export function isFirstRunOver({ counts }: Pick<FirstRunFacts, "counts">): boolean {
  return counts.executions > 0 && counts.replays > 0;
}

/** Three steps from nothing to a replayed call, each proven by recorded executions. */
export function buildFirstRunSteps({ counts, sampleTool, execution }: FirstRunFacts): FirstRunStep[] {
  const ran = counts.executions > 0;
  const executionHref = execution === null ? "/executions" : `/executions/${encodeURIComponent(execution.id)}`;
  return [
    {
      id: "run",
      title: "Run a tool",
      state: ran ? "done" : "next",
      text: ran
        ? `${execution?.toolName ?? "A tool"} ran. Recorded so far: ${counts.executions === 1 ? "1 execution" : `${counts.executions} executions`}.`
        : "Fill in the form, check the request body, and press Run.",
      link: ran ? null : runLink(sampleTool),
    },
    {
      id: "find",
      title: "Find it in Executions",
      state: ran ? "done" : "later",
      text: ran
        ? `Recorded as ${execution?.id ?? "an execution"}: arguments, result, timing, and a snapshot of the definition.`
        : "Every call is recorded: from the console, an agent or any client.",
      link: ran ? { href: executionHref, label: "Open the execution" } : null,
    },
    {
      id: "replay",
      title: "Replay it",
      state: counts.replays > 0 ? "done" : ran ? "next" : "later",
      text:
        counts.replays > 0
          ? "Replayed and linked to the original."
          : "Run the same or edited arguments again and compare the results.",
      link: ran && counts.replays === 0 ? { href: executionHref, label: "Go to Replay" } : null,
    },
  ];
}

function runLink(sampleTool: string | null): FirstRunStep["link"] {
  if (sampleTool === null) return { href: "/tools/new", label: "Create a tool", needs: "edit" };
  return { href: `/tools/${encodeURIComponent(sampleTool)}`, label: `Run ${sampleTool}` };
}

/** The example that every new installation has, else the first tool that can run. */
export function pickSampleTool(tools: readonly { name: string; enabled: boolean }[]): string | null {
  const enabled = tools.filter((tool) => tool.enabled);
  return (enabled.find((tool) => tool.name === "get_weather") ?? enabled[0])?.name ?? null;
}
