import { SERVER_QUERIES } from "@/app/_components/servers/summary/use-live-servers";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { useToast } from "@/app/_ui/toast";
import type { SkillChange, SkillDecision } from "@/lib/contract/skill-change";
import { formatPlural } from "@/lib/format";

interface DecideSkills {
  decide: (changes: readonly SkillChange[], decision: SkillDecision) => void;
  pending: boolean;
  error: string | null;
}

/** Approves or rejects versions of a server's skills, and reads again every view that shows them. */
export function useDecideSkills(server: string): DecideSkills {
  const toast = useToast();
  const action = useAction(trpc.changes.decideSkills, {
    stale: [trpc.changes, trpc.skills, ...SERVER_QUERIES],
    failed: "Couldn't save the decision",
    done: ({ decided }, { decision }) => {
      if (decided.length === 0) return null;
      return `${formatPlural(decided.length, "skill")} ${decision === "approve" ? "approved" : "rejected"}`;
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
    decide: (changes, decision) => {
      const skills = changes.flatMap(({ uri, hash, status }) => (status === "withheld" ? [] : [{ uri, hash, status }]));
      action.mutate({ name: server, skills, decision });
    },
    pending: action.isPending,
    error: action.problem,
  };
}
