import {
  BookOpenText,
  CassetteTape,
  ChartNoAxesColumn,
  CircleCheck,
  FlaskConical,
  Layers,
  List,
  type LucideIcon,
  MessageSquareText,
  Plug,
  Server,
  Settings,
  Wrench,
} from "lucide-react";
import { decodeSegment } from "@/app/_trpc/decode-segment";

export interface Destination {
  href: string;
  label: string;
  icon: LucideIcon;
  /** The second key after `g`. */
  key: string;
  /** The figure of `system.info` shown beside it. */
  count?: "tools" | "servers" | "executions";
  /** Shows how many calls wait for a user. */
  waiting?: true;
  /** Further pages that belong to the entry. */
  also?: readonly string[];
  /** `within`: a tab of another page, which the palette and the shortcuts lead to. */
  place: "main" | "foot" | "within";
}

/** Every page of the rail, in order; the palette and the shortcuts read the same list. */
export const DESTINATIONS: readonly Destination[] = [
  { href: "/", label: "Overview", icon: ChartNoAxesColumn, key: "o", place: "main" },
  { href: "/tools", label: "Tools", icon: Wrench, key: "t", count: "tools", place: "main" },
  { href: "/toolsets", label: "Toolsets", icon: Layers, key: "k", place: "main" },
  { href: "/skills", label: "Skills", icon: BookOpenText, key: "l", place: "main" },
  { href: "/servers", label: "Servers", icon: Server, key: "s", count: "servers", place: "main" },
  { href: "/playground", label: "Playground", icon: MessageSquareText, key: "p", also: ["/runs"], place: "main" },
  { href: "/executions", label: "Executions", icon: List, key: "e", count: "executions", place: "main" },
  { href: "/approvals", label: "Approvals", icon: CircleCheck, key: "a", waiting: true, place: "main" },
  { href: "/suites", label: "Suites", icon: FlaskConical, key: "x", also: ["/cassettes"], place: "main" },
  { href: "/clients", label: "Clients", icon: Plug, key: "c", place: "main" },
  { href: "/cassettes", label: "Cassettes", icon: CassetteTape, key: "r", place: "within" },
  { href: "/settings", label: "Settings", icon: Settings, key: ",", place: "foot" },
];

export function isCurrent({ href, also }: Pick<Destination, "href" | "also">, pathname: string): boolean {
  const isWithin = (path: string) => pathname === path || pathname.startsWith(`${path}/`);
  return href === "/" ? pathname === "/" : [href, ...(also ?? [])].some(isWithin);
}

interface Crumb {
  href: string;
  label: string;
  /** Names of tools and ids are data. */
  mono: boolean;
}

/** Words for pages that have pages beneath them; every other segment is a name or an id and is shown as it is. */
const WORDS = new Map([
  ...DESTINATIONS.map(({ href, label }) => [href, label] as const),
  ["/approvals/rules", "Rules"],
  ["/runs", "Playground"],
  ["/settings/models", "Models"],
]);

/** Parts of an address that are not pages. */
const NO_PAGES = new Set(["/suites/runs", "/oauth", "/oauth/connect"]);

/** The pages above a page, from its path: `/servers/files/edit` → Servers / files. The page itself says what it is. */
export function buildBreadcrumbTrail(pathname: string, edit: string | null = null): Crumb[] {
  if (pathname === "/tools/new" && edit) return buildBreadcrumbTrail(`/tools/${encodeURIComponent(edit)}/edit`);
  // The address alone does not tell the parent page.
  if (pathname === "/compare") return buildBreadcrumbTrail("/executions/compare");
  // Their heads belong to the parent page.
  if (/^\/settings\/[^/]+$/.test(pathname)) return [];
  const segments = pathname.split("/").filter((segment) => segment !== "");
  return segments.slice(0, -1).flatMap((segment, at) => {
    const href = `/${segments.slice(0, at + 1).join("/")}`;
    if (NO_PAGES.has(href)) return [];
    const word = WORDS.get(href);
    return [{ href, label: word ?? decodeSegment(segment) ?? segment, mono: word === undefined }];
  });
}
