import { ClipboardCheck } from "lucide-react";
import { useState } from "react";
import { Button } from "@/app/_ui/button";
import { onDemand } from "@/app/_ui/on-demand";

const CaseDialog = onDemand(() => import("./case-dialog"), "CaseDialog");

interface SaveCaseButtonProps {
  executionId: string;
  /** The button's accessible name in a list of calls: `Save as case: pay, exec_1`. */
  label?: string;
}

/** Opens a recorded call as a case of the rules. */
export function SaveCaseButton({ executionId, label }: SaveCaseButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        icon={ClipboardCheck}
        needs="edit"
        onClick={() => setIsOpen(true)}
        {...(label !== undefined && { "aria-label": label })}
      >
        <span className="max-sm:sr-only">Save as case</span>
      </Button>
      {isOpen && <CaseDialog executionId={executionId} onClose={() => setIsOpen(false)} />}
    </>
  );
}
