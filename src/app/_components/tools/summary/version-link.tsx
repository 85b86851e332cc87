import { Link } from "@/app/_ui/link";

/** Where a version of a tool is in its history. */
export function toVersionPath(toolName: string, number: number): string {
  return `/tools/${encodeURIComponent(toolName)}?tab=versions&version=${number}`;
}

export function VersionLink({ version }: { version: { number: number; toolName: string } }) {
  return (
    <Link href={toVersionPath(version.toolName, version.number)} className="rounded-xs text-xs underline">
      Version {version.number}
    </Link>
  );
}
