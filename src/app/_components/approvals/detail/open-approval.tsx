import { useEffect, useId, useState } from "react";
import { KeyHint, useInboxKey } from "@/app/_components/approvals/summary/inbox-keys";
import { RejectForm } from "@/app/_components/approvals/summary/reject-form";
import { MakeRuleMenu } from "@/app/_components/rules/summary/make-rule-menu";
import { focusSoon } from "@/app/_kit/arguments-editor/focus-field";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { readKept } from "@/app/_kit/kept-draft";
import { useDenial, useHasAccounts, usePrincipal } from "@/app/_ui/access";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { onDemand } from "@/app/_ui/on-demand";
import { Skeleton } from "@/app/_ui/skeleton";
import type { ApprovalDecision, ApprovalItem } from "@/lib/contract/approval";
import { explainApproverDenial, explainEditDenial, findApproverRule } from "@/lib/contract/approver";
import { isCatalogCall } from "@/lib/contract/catalog-call";
import { toDraftName } from "./approval-draft";
import { toRuleSource } from "./rule-source";
import type { Decision } from "./use-decision";

/** Form and JSON editor weigh more than the card, and most calls are approved as they are. */
const ApprovalEditor = onDemand(() => import("./approval-editor"), "ApprovalEditor", {
  fallback: <Skeleton className="h-64" />,
});

interface OpenApprovalProps {
  item: ApprovalItem;
  decision: Decision;
  /** Keys decide, with a modifier where the call may destroy something. */
  keys: boolean;
}

/** The arguments exactly as they would run, and the ways to decide. */
export function OpenApproval({ item, decision, keys }: OpenApprovalProps) {
  const [mode, setMode] = useState<"read" | "edit" | "reject">("read");
  const id = useId();
  const { executionId } = item;
  // Reads the tab's storage, which may hold an unfinished edit.
  useEffect(() => {
    if (readKept(toDraftName(executionId)) !== null) setMode("edit");
  }, [executionId]);
  const back = (): void => {
    setMode("read");
    focusSoon(`${id}-${mode}`);
  };
  const principal = usePrincipal();
  const rule = useHasAccounts() ? findApproverRule(item.mode) : null;
  const denial = explainApproverDenial(rule, principal, item.actor);
  const editDenial = explainEditDenial(rule);
  const mayRun = useDenial("run") === null;
  const choosing = keys && mayRun && mode === "read" && decision.unconfirmed === null && !decision.pending;
  useInboxKey("Enter", choosing && denial === null ? () => decision.decide({ approved: true }) : null, true);
  useInboxKey("r", choosing ? () => setMode("reject") : null);
  return (
    <>
      <AccessNotice needs="run" />
      {denial !== null && <Alert tone="accent" title={`${denial}. You may reject it.`} />}
      {item.toolChanged && (
        <Alert tone="warn" title="The tool changed since this request">
          An approved call is refused. Reject it and have it called again, with the tool as it is now.
        </Alert>
      )}
      {item.detached && (
        <Alert
          tone="warn"
          title={item.runId === null ? "Caller disconnected" : "The server restarted since this request"}
        >
          {item.runId !== null
            ? "The run resumes once you decide."
            : isCatalogCall(item)
              ? "Approving still runs the tool, but no client receives the result."
              : "Once approved, it runs and its execution keeps the result."}
        </Alert>
      )}
      {mode === "edit" ? (
        <ApprovalEditor item={item} decision={decision} onBack={back} />
      ) : (
        <ArgumentsAsAsked text={item.argumentsText} />
      )}
      {decision.error !== null && (
        <Alert live tone="bad" title="Couldn't save decision">
          {decision.error} Nothing ran; decide again.
        </Alert>
      )}
      {decision.refused !== null && (
        <Alert live tone="bad" title="These arguments are invalid">
          <ul className="text-xs">
            {decision.refused.faults.slice(0, MAX_FAULTS).map((fault) => (
              <li key={`${fault.pointer} ${fault.keyword} ${fault.message}`}>
                <span className="font-mono">{fault.path === "" ? "the whole payload" : fault.path}</span>{" "}
                {fault.message}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {decision.unconfirmed !== null && (
        <Confirmation toolName={item.toolName} decision={decision} unconfirmed={decision.unconfirmed} />
      )}
      {mode === "read" && decision.unconfirmed === null && (
        <div className="flex flex-wrap items-center gap-2">
          <Button
            needs="run"
            variant="primary"
            disabled={decision.pending || denial !== null}
            onClick={() => decision.decide({ approved: true })}
          >
            {decision.pending ? "Approving…" : "Approve"}
            {keys && <KeyHint keys="↵" withModifier />}
          </Button>
          {isCatalogCall(item) && (
            <Button
              id={`${id}-edit`}
              needs="run"
              disabled={decision.pending || denial !== null || editDenial !== null}
              onClick={() => setMode("edit")}
            >
              Edit arguments
            </Button>
          )}
          {item.restricted === undefined && <MakeRuleMenu source={toRuleSource(item)} />}
          <Button
            id={`${id}-reject`}
            needs="run"
            variant="danger"
            disabled={decision.pending}
            onClick={() => setMode("reject")}
            className="ml-auto"
          >
            Reject…
            {keys && <KeyHint keys="r" />}
          </Button>
          {editDenial !== null && denial === null && isCatalogCall(item) && (
            <p className="basis-full text-mute text-xs">{editDenial}.</p>
          )}
        </div>
      )}
      {mode === "reject" && (
        <RejectForm
          label="Reason"
          submitLabel="Reject"
          pending={decision.pending}
          onReject={decision.decide}
          onBack={back}
        />
      )}
    </>
  );
}

interface ConfirmationProps {
  toolName: string;
  decision: Decision;
  unconfirmed: ApprovalDecision;
}

/** Confirms a destructive call whose caller disconnected. */
function Confirmation({ toolName, decision, unconfirmed }: ConfirmationProps) {
  return (
    <Alert live tone="bad" title="Run anyway? Nobody receives the result">
      <p>
        The caller disconnected. <span className="font-mono">{toolName}</span> may be destructive and would still run.
        Only the execution log keeps its result.
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button
          needs="run"
          variant="danger"
          disabled={decision.pending}
          onClick={() => decision.decide({ ...unconfirmed, confirmed: true })}
        >
          {decision.pending ? "Approving…" : "Run anyway"}
        </Button>
        <Button disabled={decision.pending} onClick={decision.cancelConfirmation}>
          Cancel
        </Button>
      </div>
    </Alert>
  );
}

const MAX_FAULTS = 20;

function ArgumentsAsAsked({ text }: { text: string }) {
  return (
    <section aria-label="Arguments to approve" className="min-w-0">
      <div className="flex items-center gap-2 text-mute text-xs">
        Arguments
        <CopyButton text={text} label="Copy arguments to approve" className="-my-1 ml-auto" />
      </div>
      <div className="max-h-80 overflow-auto rounded-lg border border-line bg-bg p-2.5">
        <JsonTree text={text} label="Arguments to approve" />
      </div>
    </section>
  );
}
