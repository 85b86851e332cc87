import { SERVER_QUERIES } from "@/app/_components/servers/summary/use-live-servers";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { ChangeDecision, HeldChange } from "@/lib/contract/held-change";
import { formatPlural } from "@/lib/format";

interface DecideChanges {
  decide: (changes: readonly Pick<HeldChange, "tool" | "hash" | "status">[], decision: ChangeDecision) => void;
  pending: boolean;
  error: string | null;
}

const DECIDED: Record<ChangeDecision, string> = {
  approve: "approved",
  block: "stays blocked",
  ignore: "keeps its approved definition",
};

/** Approves, blocks or ignores changed tools of a server, and reads again every view that shows them. */
export function useDecideChanges(server: string): DecideChanges {
  const toast = useToast();
  const { servers, tools, changes } = trpc;
  const action = useAction(servers.decideChanges, {
    stale: [tools, changes, ...SERVER_QUERIES],
    failed: "Couldn't save the decision",
    done: ({ decided }, { decision }) => {
      if (decided.length === 0) return null;
      const what = decided.length === 1 ? (decided[0] ?? "") : formatPlural(decided.length, "tool");
      return `${what} ${DECIDED[decision]}`;
    },
    onDone: ({ missed }) => {
      if (missed.length === 0) return;
      toast({
        title: `${formatPlural(missed.length, "change")} already decided or replaced by a newer one`,
        tone: "warn",
      });
    },
  });
  return {
    decide: (changes, decision) =>
      action.mutate({
        name: server,
        changes: changes.map(({ tool, hash, status }) => ({ tool, hash, status })),
        decision,
      }),
    pending: action.isPending,
    error: action.problem,
  };
}
