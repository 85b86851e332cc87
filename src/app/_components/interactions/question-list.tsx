import { X } from "lucide-react";
import { useState } from "react";
import { IconButton } from "@/app/_ui/button";
import type { InteractionAnswer, PendingInteraction } from "@/lib/contract/interaction";
import { QuestionCard } from "./question-card";
import { useOutcome } from "./question-store";

interface QuestionListProps {
  interactions: readonly PendingInteraction[];
  /** The call whose panel contains the questions. */
  callId?: string | undefined;
}

/** The number of notes that stay visible. */
const MAX_NOTES = 3;

/** The questions, each in its own card, and a word about each that is no longer there. */
export function QuestionList({ interactions, callId }: QuestionListProps) {
  const [shown, setShown] = useState(interactions);
  const [gone, setGone] = useState<readonly PendingInteraction[]>([]);
  if (listIds(shown) !== listIds(interactions)) {
    const left = shown.filter((before) => interactions.every((now) => now.id !== before.id));
    setShown(interactions);
    if (left.length > 0) setGone([...gone, ...left].slice(-MAX_NOTES));
  }
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div role="status" className="flex flex-col gap-1 empty:hidden">
        {gone.map((each) => (
          <GoneNote
            key={each.id}
            interaction={each}
            onDismiss={() => setGone(gone.filter((other) => other.id !== each.id))}
          />
        ))}
      </div>
      {interactions.length > 0 && (
        <ul aria-label="Pending requests" className="flex min-w-0 flex-col gap-3">
          {interactions.map((interaction) => (
            <li key={interaction.id} data-row="" className="min-w-0">
              <QuestionCard interaction={interaction} callId={callId} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function listIds(interactions: readonly PendingInteraction[]): string {
  return interactions.map((each) => each.id).join(" ");
}

interface GoneNoteProps {
  interaction: PendingInteraction;
  onDismiss: () => void;
}

/** Says how a request for input ended. */
function GoneNote({ interaction: { id, server, toolName }, onDismiss }: GoneNoteProps) {
  const outcome = useOutcome(id);
  const question = toolName === null ? `The request from ${server}` : `The request from ${server} for ${toolName}`;
  const text =
    outcome === null ? `${question} was answered elsewhere, or its call ended.` : OUTCOME_TEXTS[outcome](server);
  return (
    <div className="flex items-start gap-2 rounded-md bg-rail py-0.5 pr-1 pl-2.5 text-mute text-xs">
      <p className="min-w-0 flex-1 py-1 [overflow-wrap:anywhere]">{text}</p>
      <IconButton icon={X} label="Dismiss" onClick={onDismiss} />
    </div>
  );
}

const OUTCOME_TEXTS: Record<InteractionAnswer["action"], (server: string) => string> = {
  accept: (server) => `Response sent to ${server}.`,
  decline: (server) => `Declined the request from ${server}.`,
  cancel: (server) => `Dismissed the request from ${server}.`,
};
