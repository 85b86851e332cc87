import type { ApprovalStore } from "../../src/server/features/approvals/approval-store";
import type { createCallWriter } from "./agent-calls";
import { findModel, type PastThing, planApprovals } from "./agent-plan";
import type { RunWriter } from "./agent-runs";
import { type CallOrigin, newPastId } from "./past-calls";
import { createRandom } from "./random";
import { findActor, readStories } from "./read-stories";
import type { PastPorts } from "./seed-context";

interface InboxPorts extends Pick<PastPorts, "executions"> {
  approvals: ApprovalStore;
  writeCall: ReturnType<typeof createCallWriter>;
  runWriter: RunWriter;
}

const MINUTE_MS = 60_000;

/** Calls without a run that people decided between the two times. */
export function planDecided({ executions, writeCall }: InboxPorts, from: number, until: number): PastThing[] {
  const stories = readStories("approvals.txt");
  return planApprovals(from, until).map(({ at, number }) => ({
    kind: "approval",
    at,
    async write() {
      const id = newPastId(at, createRandom(at));
      if ((await executions.summary(id)) !== null) return false;
      const { head, calls } = stories[number % stories.length]?.(createRandom(number)) ?? { head: [], calls: [] };
      for (const call of calls) await writeCall(call, id, at, toOrigin(head));
      return true;
    },
  }));
}

/** Calls of the console, of a run and of the gateway that wait now; none while others wait already. */
export async function seedOpen({ approvals, writeCall, runWriter }: InboxPorts, now: number): Promise<number> {
  if ((await approvals.countOpen()) > 0) return 0;
  const random = createRandom(now);
  const stories = readStories("inbox.txt");
  for (const story of stories) {
    const { head, calls, turns } = story(random);
    const [minutesAgo, ...origin] = head;
    const at = now - Number(minutesAgo) * MINUTE_MS;
    for (const call of calls) await writeCall(call, newPastId(at, random), at, toOrigin(origin));
    if (turns.length === 0) continue;
    const settings = { ...findModel("demo"), instructions: "", tools: { mode: "all" } } as const;
    const actor = findActor(origin[1]);
    await runWriter.write({ id: `run_${random.letters(16)}`, at, source: "agent", actor, settings, turns });
  }
  return stories.length;
}

function toOrigin([source, actor]: readonly string[]): CallOrigin {
  const common = { actor: findActor(actor), runId: null, callId: null, parentId: null };
  if (source === "gateway") return { source, client: "Claude Code 2.1.4", ...common };
  return { source: "console", client: null, ...common };
}
