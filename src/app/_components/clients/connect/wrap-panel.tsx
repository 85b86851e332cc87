import { CopyButton } from "@/app/_ui/copy-button";

/** The shortest way for a client that has servers already. */
export function WrapPanel({ command }: { command: string }) {
  const undo = command.replace(/ wrap(?= |$)/, " unwrap");
  return (
    <section
      aria-label="Move the servers that your clients have"
      className="flex min-w-0 flex-col gap-1.5 rounded-lg border border-accent bg-panel px-3.5 py-2.5"
    >
      <h3 className="font-medium">Your clients have servers already? Move them all</h3>
      <p className="text-mute">
        Finds the clients on this machine, shows what it would change, asks, then puts Toolroom in place of their
        servers.
      </p>
      <div className="flex min-w-0 items-start gap-2 rounded-md bg-rail py-1 pr-1 pl-2.5">
        <code className="min-w-0 flex-1 py-1 font-mono text-xs leading-5 [overflow-wrap:anywhere]">{command}</code>
        <CopyButton text={command} label="Copy the command that moves servers" />
      </div>
      <p className="flex min-w-0 items-center gap-x-1 text-mute text-xs">
        <span className="min-w-0">
          <code className="font-mono">unwrap</code> in its place gives every file back byte for byte.
        </span>
        <CopyButton text={undo} label="Copy the command that gives the files back" className="-my-1" />
      </p>
    </section>
  );
}
