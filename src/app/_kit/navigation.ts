import {
  ChartNoAxesColumn,
  CircleCheck,
  Layers,
  List,
  type LucideIcon,
  MessageSquareText,
  MoveRight,
  Plug,
  Server,
  Settings,
  Wrench,
} from "lucide-react";

export interface Destination {
  href: string;
  label: string;
  icon: LucideIcon;
  /** The second key after `g`. */
  key: string;
  /** The figure of `system.info` shown beside it. */
  count?: "tools" | "servers" | "executions";
  /** It shows how many calls wait for a person. */
  waiting?: true;
  place: "main" | "foot";
}

/** Every page of the rail, in order; the palette and the shortcuts read the same list. */
export const DESTINATIONS: readonly Destination[] = [
  { href: "/", label: "Overview", icon: ChartNoAxesColumn, key: "o", place: "main" },
  { href: "/tools", label: "Tools", icon: Wrench, key: "t", count: "tools", place: "main" },
  { href: "/toolsets", label: "Toolsets", icon: Layers, key: "k", place: "main" },
  { href: "/servers", label: "Servers", icon: Server, key: "s", count: "servers", place: "main" },
  { href: "/playground", label: "Playground", icon: MessageSquareText, key: "p", place: "main" },
  { href: "/runs", label: "Runs", icon: MoveRight, key: "r", place: "main" },
  { href: "/executions", label: "Executions", icon: List, key: "e", count: "executions", place: "main" },
  { href: "/approvals", label: "Approvals", icon: CircleCheck, key: "a", waiting: true, place: "main" },
  { href: "/connect", label: "Connect", icon: Plug, key: "c", place: "main" },
  { href: "/settings", label: "Settings", icon: Settings, key: ",", place: "foot" },
];

export function isCurrent(href: string, pathname: string): boolean {
  return href === "/" ? pathname === "/" : pathname === href || pathname.startsWith(`${href}/`);
}
