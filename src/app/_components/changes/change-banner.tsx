import { Alert } from "@/app/_ui/alert";
import { ButtonLink } from "@/app/_ui/button";
import { formatPlural } from "@/lib/format";
import { formatWaiting } from "@/lib/format/change-verdict";
import { formatHeld } from "./format-held";
import { QuotedText } from "./quoted-text";
import { toReviewPath } from "./review-path";
import { useWaitingChanges } from "./use-waiting-changes";

interface ChangeBannerProps {
  server: string;
  /** The number of undecided changes. */
  held: number;
  /** The skills among them. */
  heldSkills: number;
  /** Breaking changes that are in use. */
  applied: number;
}

/** On a server's page: says that its tools or skills changed and what that breaks, and links to the review. */
export function ChangeBanner({ server, held, heldSkills, applied }: ChangeBannerProps) {
  const waiting = useWaitingChanges(true).get(server);
  return (
    <Alert
      tone={waiting !== undefined && waiting.broken > 0 ? "bad" : "warn"}
      title={
        held > 0
          ? `${formatHeld(held - heldSkills, heldSkills)} to review`
          : `${formatPlural(applied, "breaking change")} in use`
      }
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 flex-1 basis-72 text-mute">
          {waiting !== undefined && waiting.open + waiting.applied > 0 && (
            <QuotedText text={`${formatWaiting(waiting)} `} />
          )}
          {held > heldSkills && "Calls of these tools are refused until you decide. "}
          {heldSkills > 0 && "Clients keep the approved versions of these skills until you decide."}
          {held === 0 && "The server changed its tools, and its changes are used at once."}
        </span>
        <ButtonLink href={toReviewPath(server)}>Review changes</ButtonLink>
      </div>
    </Alert>
  );
}
