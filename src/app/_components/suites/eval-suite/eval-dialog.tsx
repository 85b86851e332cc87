import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { toSuitePath } from "@/app/_components/suites/summary/run-words";
import { EditDialog } from "@/app/_kit/form/edit-dialog";
import { defineForm, names, optional, text } from "@/app/_kit/form/fields";
import { client, trpc } from "@/app/_trpc/client";
import type { Eval, EvalInput } from "@/lib/contract/eval";
import { formatPlural } from "@/lib/format";

interface EvalDialogProps {
  /** An eval to change, or the initial values of a new one. */
  start: Eval | (Partial<EvalInput> & { id?: undefined }) | null;
  onSaved?: (() => void) | undefined;
  onClose: () => void;
}

/** @param toolsets the names of the toolsets whose tools can be offered */
const toForm = (toolsets: readonly string[]) =>
  defineForm<Omit<EvalInput, "context" | "origin">>()({
    suite: text("Suite", {
      required: true,
      mono: true,
      hint: "A suite begins with its first eval. Letters, digits, '_' and '-'.",
      check: (typed) => (typed.trim() === "" ? ["Enter a name"] : []),
    }),
    question: text("Question", {
      required: true,
      rows: 3,
      hint: "What a user wants, in words that do not name the tool.",
      check: (typed) => (typed.trim() === "" ? ["Enter a question"] : []),
    }),
    expected: names("Expected tools", {
      hint: "Names, separated by commas: a call of any is right. Empty: the right answer calls nothing.",
    }),
    forbidden: names("Forbidden tools (optional)", { hint: "A call of any of them is wrong." }),
    toolset: optional(
      "Offered tools",
      "All enabled tools",
      toolsets.map((name) => ({ value: name, label: `Toolset ${name}` })),
    ),
  });

/** A question with the tools that should and should not be called for it. */
export function EvalDialog({ start, onSaved, onClose }: EvalDialogProps) {
  const router = useRouter();
  const { data: toolsets = [] } = useQuery(trpc.toolsets.list.queryOptions());
  const edited = start?.id === undefined ? null : start;
  const { context = [], origin = null } = start ?? {};
  return (
    <EditDialog
      needs="edit"
      title={edited === null ? "Add eval" : "Edit eval"}
      description={
        context.length > 0 && `Asked after ${formatPlural(context.length - 1, "message")} of the recorded conversation.`
      }
      submitLabel={edited === null ? "Add" : "Save"}
      table={toForm(toolsets.map(({ name }) => name))}
      initial={start ?? undefined}
      root="eval"
      edited={edited === null ? undefined : { subject: "eval", lastEdit: edited.lastEdit }}
      save={(input, revision) =>
        edited === null
          ? client.suites.addEval.mutate({ ...input, context, origin })
          : client.suites.updateEval.mutate({ id: edited.id, eval: { ...input, context, origin }, revision })
      }
      stale={[trpc.suites]}
      done={edited === null ? "Eval added" : "Eval saved"}
      onSaved={({ suite }) => {
        onClose();
        if (onSaved === undefined) router.push(toSuitePath(suite));
        else onSaved();
      }}
      onClose={onClose}
    />
  );
}
