import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { Dialog } from "@/app/_ui/dialog";

/** Shows the secret that signs requests to a receiver, this one time. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog
      title="Signing secret"
      description="The receiver verifies requests with it. It is shown only now: copy it."
      onClose={onClose}
    >
      <p className="flex items-center gap-1 rounded-md border border-line bg-rail px-2.5 py-1.5">
        <code className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">{secret}</code>
        <CopyButton text={secret} label="Copy secret" />
      </p>
      <p className="mt-3 text-mute text-xs">
        Any library of Standard Webhooks takes it. By hand: HMAC-SHA256 of{" "}
        <code>webhook-id.webhook-timestamp.body</code> with the Base64-decoded part after <code>whsec_</code> is the
        signature after <code>v1,</code>.
      </p>
      <div className="mt-4 flex justify-end">
        <Button variant="primary" size="md" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  );
}
