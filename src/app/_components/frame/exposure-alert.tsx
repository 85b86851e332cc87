import { Alert } from "@/app/_ui/alert";

/** Shown on every page while `TOOLROOM_AUTH=off` and other machines can reach the server. */
export function ExposureAlert({ exposure }: { exposure: string | null }) {
  if (exposure === null) return null;
  return (
    <Alert tone="bad" title="Everyone who reaches this server may do everything" className="m-3 shrink-0">
      <p>
        TOOLROOM_AUTH=off is set, and others come in ({exposure}): each request runs as the Local owner and can start
        commands on this machine. Remove TOOLROOM_AUTH and restart to switch accounts on.
      </p>
    </Alert>
  );
}
