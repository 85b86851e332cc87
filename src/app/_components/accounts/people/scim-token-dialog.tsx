import { SecretText } from "@/app/_components/accounts/summary/secret-text";
import { Button } from "@/app/_ui/button";
import { Dialog } from "@/app/_ui/dialog";
import { getConsoleAddress } from "@/lib/base-path";

/** Shows the token of the identity provider, once. */
export function ScimTokenDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  return (
    <Dialog
      onClose={onClose}
      title="SCIM token created"
      description="Copy it now: it is shown once. An earlier token no longer works."
    >
      <div className="flex flex-col gap-4">
        <SecretText label="Address" text={`${getConsoleAddress()}/scim/v2`} />
        <SecretText label="Token" text={secret} />
        <Button size="md" variant="primary" onClick={onClose} className="self-end">
          Done
        </Button>
      </div>
    </Dialog>
  );
}
