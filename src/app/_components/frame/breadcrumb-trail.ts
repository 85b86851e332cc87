import { DESTINATIONS } from "@/app/_kit/navigation";

export interface Crumb {
  path: string;
  label: string;
  /** Null for the page itself. */
  href: string | null;
  /** Names of tools and ids are data. */
  mono: boolean;
}

/** Words for segments that are pages; every other segment is a name or an id and is shown as it is. */
const WORDS = new Map([
  ...DESTINATIONS.map(({ href, label }) => [href, label] as const),
  ["/tools/new", "New tool"],
  ["/toolsets/new", "New toolset"],
  ["/servers/new", "Add server"],
  ["/runs/transcripts", "Transcripts"],
  ["/runs/compare", "Compare"],
  ["/settings/models", "Models"],
  ["/settings/people", "People"],
  ["/settings/audit", "Audit log"],
  ["/settings/account", "Account"],
  ["/settings/sharing", "Import and export"],
  ["/sign-in", "Sign in"],
  ["/join", "Join"],
  ["/compare", "Compare"],
]);

/** Words for pages of one named thing: `/servers/files/edit`. */
const PARTS = new Map([
  ["/servers/*/edit", "Edit"],
  ["/tools/*/edit", "Edit"],
]);

/** Parts of an address that are no page. */
const NO_PAGES = new Set(["/settings/models/checks"]);

/** Pages whose address does not say where they belong. */
const PARENTS = new Map([["/compare", "/executions"]]);

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The way to a page, from its path: `/tools/get_weather` → Tools / get_weather. `/tools/new?edit=` changes that tool. */
export function buildBreadcrumbTrail(pathname: string, edit: string | null = null): Crumb[] {
  if (pathname === "/tools/new" && edit) return buildBreadcrumbTrail(`/tools/${encodeURIComponent(edit)}/edit`);
  const segments = pathname.split("/").filter((segment) => segment !== "");
  if (segments.length === 0) return [{ path: "/", label: "Overview", href: null, mono: false }];

  const parent = PARENTS.get(`/${segments[0]}`);
  const trail: Crumb[] =
    parent === undefined ? [] : buildBreadcrumbTrail(parent).map((crumb) => ({ ...crumb, href: parent }));
  segments.forEach((segment, at) => {
    const path = `/${segments.slice(0, at + 1).join("/")}`;
    if (NO_PAGES.has(path)) return;
    const word = WORDS.get(path) ?? (at === 2 ? PARTS.get(`/${segments[0]}/*/${segment}`) : undefined);
    trail.push({
      path,
      label: word ?? decoded(segment),
      href: at === segments.length - 1 ? null : path,
      mono: word === undefined,
    });
  });
  return trail;
}
