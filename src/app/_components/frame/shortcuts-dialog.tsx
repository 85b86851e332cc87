import { DESTINATIONS } from "@/app/_kit/navigation";
import { useIsMac, useSingleKeys } from "@/app/_kit/preferences-provider";
import { Dialog } from "@/app/_ui/dialog";
import { Kbd } from "@/app/_ui/kbd";

interface Shortcut {
  keys: readonly string[];
  does: string;
}

/** Stands for the platform's modifier. */
const MOD = "mod";

const GROUPS: readonly { title: string; single: boolean; shortcuts: readonly Shortcut[] }[] = [
  {
    title: "Everywhere",
    single: false,
    shortcuts: [
      { keys: [MOD, "K"], does: "Search or run a command" },
      { keys: [MOD, "↵"], does: "Run the tool on the page, or save the form" },
      { keys: ["Esc"], does: "Close what is open above the page" },
    ],
  },
  {
    title: "In Playground",
    single: false,
    shortcuts: [
      { keys: ["↵"], does: "Send the message" },
      { keys: ["Shift", "↵"], does: "New line" },
      { keys: ["Esc"], does: "Stop the model" },
    ],
  },
  {
    title: "In Approvals",
    single: true,
    shortcuts: [
      { keys: [MOD, "↵"], does: "Approve" },
      { keys: ["r"], does: "Reject with a reason" },
      { keys: ["n"], does: "Next approval" },
    ],
  },
  {
    title: "Go to",
    single: true,
    shortcuts: DESTINATIONS.map(({ key, label }) => ({ keys: ["g", key], does: label })),
  },
  {
    title: "In lists",
    single: true,
    shortcuts: [
      { keys: ["j"], does: "Next row" },
      { keys: ["k"], does: "Previous row" },
      { keys: ["↵"], does: "Open the row" },
      { keys: ["Space"], does: "Peek at an execution; j and k move on" },
      { keys: ["/"], does: "Search the list" },
      { keys: ["?"], does: "This help" },
    ],
  },
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const singleKeys = useSingleKeys();
  const modifier = useIsMac() ? "⌘" : "Ctrl";
  return (
    <Dialog
      onClose={onClose}
      title="Keyboard shortcuts"
      description={
        singleKeys
          ? "You can turn off single-key shortcuts in Settings."
          : "Single-key shortcuts are off. Turn them on in Settings."
      }
    >
      <div className="flex flex-col gap-4">
        {GROUPS.filter((group) => singleKeys || !group.single).map((group) => (
          <section key={group.title} aria-labelledby={`keys-${group.title}`}>
            <h3 id={`keys-${group.title}`} className="mb-1 font-medium text-mute text-xs">
              {group.title}
            </h3>
            <dl className="divide-y divide-line">
              {group.shortcuts.map((shortcut) => (
                <div key={shortcut.does} className="flex items-center justify-between gap-4 py-1.5">
                  <dt>{shortcut.does}</dt>
                  <dd className="flex gap-1">
                    {shortcut.keys.map((key) => (
                      <Kbd key={key}>{key === MOD ? modifier : key}</Kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
