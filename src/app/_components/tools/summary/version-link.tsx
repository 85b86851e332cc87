import { Link } from "@/app/_ui/link";

/** Returns the path of a version in its tool's history. */
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
