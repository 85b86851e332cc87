import { Dialog } from "@/app/_ui/dialog";
import { RailLinks } from "./rail-links";

export function RailSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Toolroom" side="left">
      <nav aria-label="Main" className="flex h-full flex-col gap-3">
        <RailLinks onFollow={onClose} />
      </nav>
    </Dialog>
  );
}
