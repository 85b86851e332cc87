import { ClipboardPaste, FlaskConical, type LucideIcon, SquarePen } from "lucide-react";
import { Link } from "@/app/_ui/link";

const WAYS: readonly { href: string; icon: LucideIcon; title: string; text: string }[] = [
  {
    href: "/servers/new?tab=paste",
    icon: ClipboardPaste,
    title: "Paste an mcp.json",
    text: "From Claude Desktop, Cursor, VS Code or a README: every server in it is found.",
  },
  {
    href: "/servers/new",
    icon: SquarePen,
    title: "Fill in the form",
    text: "A command to start here, the address of a server that runs elsewhere, or an OpenAPI document.",
  },
  {
    href: "/servers/new?template=zwave",
    icon: FlaskConical,
    title: "Add the sample server",
    text: "A smart home over Z-Wave that comes with Toolroom and needs no hardware.",
  },
];

/** Three ways to begin. */
export function ServersEmpty() {
  return (
    <div className="mx-auto flex max-w-4xl flex-col gap-4 px-4 py-10">
      <div className="text-center">
        <h2 className="font-medium text-base">No servers yet</h2>
        <p className="mx-auto mt-1 max-w-xl text-mute">
          Connect an MCP server, or an API with an OpenAPI document, to add its tools to the catalog: run them here,
          call them through one gateway, and record every call in Executions.
        </p>
      </div>
      <ul className="grid gap-3 md:grid-cols-3">
        {WAYS.map(({ href, icon: Icon, title, text }) => (
          <li key={href}>
            <Link
              needs="edit"
              href={href}
              className="flex h-full flex-col gap-1.5 rounded-lg border border-line2 bg-panel p-3.5 hover:bg-rail"
            >
              <span className="flex items-center gap-2 font-medium">
                <Icon aria-hidden size={15} strokeWidth={1.6} className="text-accent" />
                {title}
              </span>
              <span className="text-mute">{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
