import { toReviewPath } from "@/app/_components/changes/review-path";
import { Link } from "@/app/_ui/link";
import type { HeldChange } from "@/lib/contract/held-change";

const CHANGES: Partial<Record<HeldChange["kind"], string>> = {
  added: "New on its server",
  removed: "Removed by its server",
};

/** Shown on the page of a tool that its server changed, in one line: what calls do now, and the review. */
export function HeldBanner({ change: { server, status, kind } }: { change: HeldChange }) {
  return (
    <p role="note" className="border-warn border-l-2 bg-warn-bg px-3 py-1.5">
      <span className="font-medium text-warn">{CHANGES[kind] ?? "Changed by its server"}.</span>{" "}
      {describeCalls(status, kind)}{" "}
      <Link href={toReviewPath(server)} className="underline">
        Review changes
      </Link>
    </p>
  );
}

function describeCalls(status: HeldChange["status"], kind: HeldChange["kind"]): string {
  if (status === "applied") return "The change is in use and may break calls.";
  if (status === "ignored" && kind !== "added") return "Calls run with the approved definition.";
  return status === "blocked"
    ? "The change is blocked, and calls are refused."
    : "Calls are refused until it is approved.";
}
