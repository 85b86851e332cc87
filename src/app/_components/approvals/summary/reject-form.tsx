import { useId, useState } from "react";
import { leaveOnEscape } from "@/app/_kit/leave-on-escape";
import { Button } from "@/app/_ui/button";
import { Textarea } from "@/app/_ui/field";

const MAX_REASON_CHARS = 2_000;

interface RejectFormProps {
  label: string;
  submitLabel: string;
  pending: boolean;
  onReject: (decision: { approved: false; reason?: string }) => void;
  onBack: () => void;
}

/** Asks why a call, or several, are rejected. */
export function RejectForm({ label, submitLabel, pending, onReject, onBack }: RejectFormProps) {
  const [reason, setReason] = useState("");
  const id = useId();
  return (
    <form
      {...leaveOnEscape(onBack)}
      className="flex w-full min-w-0 flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const text = reason.trim();
        onReject({ approved: false, ...(text === "" ? {} : { reason: text }) });
      }}
    >
      <label htmlFor={id} className="font-medium">
        {label} <span className="font-normal text-mute text-xs">Optional. Sent to the caller and the model.</span>
      </label>
      <Textarea
        id={id}
        autoFocus
        rows={2}
        maxLength={MAX_REASON_CHARS}
        value={reason}
        disabled={pending}
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button needs="run" type="submit" variant="danger" disabled={pending}>
          {pending ? "Rejecting…" : submitLabel}
        </Button>
        <Button onClick={onBack} disabled={pending}>
          Back
        </Button>
      </div>
    </form>
  );
}
