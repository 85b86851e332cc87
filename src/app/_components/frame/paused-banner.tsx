import { useState } from "react";
import { ConfirmAction } from "@/app/_kit/confirm-dialog";
import { ALL_QUERIES } from "@/app/_kit/use-action";
import { client } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { Pause } from "@/lib/contract/pause";
import { PAUSED_WORK } from "@/lib/contract/paused-work";

/** Shown on every page while the server starts no work of its own, since its database is a copy. */
export function PausedBanner({ pause: { reason, at, source } }: { pause: Pause }) {
  const [open, setOpen] = useState(false);
  const origin =
    reason === "restored" ? `Restored from ${source ?? "a copy"}` : "Another PostgreSQL database than before";
  return (
    <Alert tone="warn" live title="Paused: this Toolroom's database is a copy" className="m-3 shrink-0">
      <p>
        {origin}, <RelativeTime at={at} />. The original may still be in use, so these wait: {PAUSED_WORK}.
      </p>
      <Button needs="administer" className="mt-1" onClick={() => setOpen(true)}>
        Make this the original…
      </Button>
      {open && (
        <ConfirmAction
          needs="administer"
          title="Make this the original?"
          description={`Stop the Toolroom that the copy was made of first. Then these begin here: ${PAUSED_WORK}.`}
          action="Make original"
          running="Resuming…"
          failure="Couldn't resume"
          run={() => client.system.resume.mutate()}
          stale={ALL_QUERIES}
          done="This is the original now"
          onClose={() => setOpen(false)}
        />
      )}
    </Alert>
  );
}
