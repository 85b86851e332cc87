import type { Permission } from "@/lib/contract/access";
import type { ClientSummary } from "@/lib/contract/client";
import type { ServerOverview } from "@/lib/contract/server-list";
import { formatCount, formatPlural } from "@/lib/format";

export interface FirstRunFacts {
  counts: { executions: number; replays: number };
  /** A tool to begin with; null where none is enabled. */
  sampleTool: string | null;
  /** The newest execution, which proves that a call was made. */
  execution: { id: string; toolName: string } | null;
  /** A server that has listed its tools, or the first one; null without servers. */
  server: ServerOverview["sample"];
  /** The clients, last seen first. */
  clients: readonly Pick<ClientSummary, "name" | "calls">[];
}

interface StepLink {
  href: string;
  label: string;
  needs?: Permission;
}

export interface FirstRunStep {
  id: "run" | "server" | "client" | "replay";
  title: string;
  /** At most one step is `next`. A user may complete a later one first. */
  state: "done" | "next" | "later";
  /** The purpose of the step, or the evidence that it is done. */
  text: string;
  /** The first link is the usual choice. */
  links: readonly StepLink[];
}

/** A catalog with more calls needs no introduction. */
const MANY_CALLS = 100;

/** True once every step is done, and where Toolroom is already in use. */
export function isFirstRunOver(facts: FirstRunFacts): boolean {
  return facts.counts.executions >= MANY_CALLS || buildFirstRunSteps(facts).every(({ state }) => state === "done");
}

/** The steps that make a new Toolroom useful, each proven by a record. */
export function buildFirstRunSteps(facts: FirstRunFacts): FirstRunStep[] {
  const steps = [describeRun(facts), describeServer(facts), describeClient(facts), describeReplay(facts)];
  const next = steps.find(({ isDone }) => !isDone);
  return steps.map(({ isDone, ...step }) => ({ ...step, state: isDone ? "done" : toOpenState(step.id === next?.id) }));
}

const toOpenState = (isNext: boolean): FirstRunStep["state"] => (isNext ? "next" : "later");

type Step = Omit<FirstRunStep, "state"> & { isDone: boolean };

function describeRun({ counts, sampleTool, execution }: FirstRunFacts): Step {
  const step = { id: "run", title: "Run a tool" } as const;
  if (counts.executions > 0) {
    const name = execution?.toolName ?? "A tool";
    const recorded = formatPlural(counts.executions, "execution");
    return { ...step, isDone: true, text: `${name} ran; ${recorded} recorded.`, links: [toExecution(execution)] };
  }
  return {
    ...step,
    isDone: false,
    text: "Fill in the form, check the request body, and press Run.",
    links: [
      sampleTool === null
        ? { href: "/tools/new", label: "Create a tool", needs: "edit" }
        : { href: `/tools/${encodeURIComponent(sampleTool)}`, label: `Run ${sampleTool}` },
    ],
  };
}

/** A server that has listed its tools counts, also while it is not connected. */
function describeServer({ server }: FirstRunFacts): Step {
  const step = { id: "server", title: "Connect a server" } as const;
  if (server !== null && (server.toolCount > 0 || server.state.status === "connected")) {
    const href = `/servers/${encodeURIComponent(server.name)}`;
    const text = `${server.name} is connected: ${formatPlural(server.toolCount, "tool")}.`;
    return { ...step, isDone: true, text, links: [{ href, label: "Open the server" }] };
  }
  if (server !== null) {
    return {
      ...step,
      isDone: false,
      text: `${server.name} is added and has not connected yet.`,
      links: [{ href: `/servers/${encodeURIComponent(server.name)}`, label: `Open ${server.name}` }],
    };
  }
  return {
    ...step,
    isDone: false,
    text: "Any MCP server: a command such as npx, or an address. Its tools join the catalog.",
    links: [
      { href: "/servers/new?tab=paste", label: "Paste an mcp.json", needs: "edit" },
      { href: "/servers/new?template=zwave", label: "Add the sample", needs: "edit" },
    ],
  };
}

function describeClient({ clients }: FirstRunFacts): Step {
  const step = { id: "client", title: "Connect a client" } as const;
  const [found] = clients.toSorted((one, other) => other.calls - one.calls);
  if (found !== undefined) {
    const calls =
      found.calls === 0 ? "no call yet" : `${formatCount(found.calls)} ${found.calls === 1 ? "call" : "calls"}`;
    return {
      ...step,
      isDone: true,
      text: `${found.name} is connected: ${calls}.`,
      links: [{ href: "/clients", label: "Open Clients" }],
    };
  }
  return {
    ...step,
    isDone: false,
    text: "Claude, Cursor, VS Code and others: toolroom wrap moves the servers that they have, or copy one line.",
    links: [{ href: "/clients#connect", label: "Connect a client" }],
  };
}

function describeReplay({ counts, execution }: FirstRunFacts): Step {
  const step = { id: "replay", title: "Replay a call" } as const;
  if (counts.replays > 0) {
    const link = { href: "/executions?source=replay", label: "Open replays" };
    return { ...step, isDone: true, text: "Replayed and linked to the original.", links: [link] };
  }
  return {
    ...step,
    isDone: false,
    text: "Run the same or edited arguments again and compare the results.",
    links: counts.executions > 0 ? [{ ...toExecution(execution), label: "Go to Replay" }] : [],
  };
}

function toExecution(execution: FirstRunFacts["execution"]): StepLink {
  const href = execution === null ? "/executions" : `/executions/${encodeURIComponent(execution.id)}`;
  return { href, label: "Open the execution" };
}
