import { BODY, FORM_BODY } from "@/app/_ui/page-body";
import {
  type Bars,
  CONVERSATION,
  HEAD,
  type Outline,
  OutlineSkeleton,
  repeatRow,
  SERVER_TAB,
  TABLE,
} from "./view-skeleton";

const HALVES = "grid gap-4 xl:grid-cols-2";

const outline = (what: string, ...bars: readonly [Bars, ...Bars[]]): Outline => ({ label: `Loading ${what}`, bars });

function catalogOutline(what: string, count: number): Outline {
  const search = [
    "flex gap-2 border-line border-b bg-panel px-4 py-2.5",
    "h-8 min-w-50 flex-1 sm:max-w-80",
    "h-8 w-24",
  ];
  return outline(what, "", search, ["flex flex-col gap-3 px-4 pt-11", ...repeatRow(count)]);
}

/** Outlines of whole pages; imported by server components only. */
const PAGES = {
  account: outline("your account", BODY, "h-40", "h-44", "h-28"),
  alerts: outline("alerts", BODY, "h-40", "h-56"),
  audit: { label: "Loading the audit log", bars: TABLE },
  execution: outline("the execution", BODY, "h-6 w-64 max-w-full", "h-4 w-96 max-w-full", [HALVES, "h-64", "h-64"]),
  models: outline("models", BODY, "h-40", "h-56"),
  overview: outline(
    "the overview",
    "flex flex-col gap-4 p-4",
    ["grid gap-4 xl:grid-cols-3", "h-60", "h-60", "h-60"],
    "h-17",
    "h-48",
  ),
  people: outline("people", BODY, "h-56", "h-24"),
  playground: outline("the run", "flex h-full flex-col", [HEAD, "h-6 w-48"], CONVERSATION),
  server: outline(
    "the server",
    "flex h-full flex-col",
    [`${HEAD} gap-3`, "h-6 w-60", "h-4 w-80 max-w-full"],
    SERVER_TAB,
  ),
  serverForm: outline("settings", FORM_BODY, ["flex flex-col gap-4", "h-14", "h-7 w-60", "h-14", "h-32"], "h-32"),
  servers: catalogOutline("servers", 5),
  settings: outline("settings", BODY, "h-28", "h-44", "h-36"),
  storage: outline("storage", BODY, "h-40", "h-56", "h-28", "h-64"),
  toolEditor: outline("the definition", FORM_BODY, ["flex flex-col gap-4", "h-7 w-32", "h-14", "h-24", "h-48"], "h-24"),
  suite: outline("tests", BODY, "h-6 w-60", "h-64", "h-32"),
  suites: catalogOutline("suites", 4),
  tools: catalogOutline("tools", 8),
  webhooks: outline("webhooks", BODY, "h-40", "h-56"),
  toolsets: outline("toolsets", "flex flex-col gap-3 px-4 pt-11", ...repeatRow(5)),
} as const satisfies Record<string, Outline>;

export type SkeletonName = keyof typeof PAGES;

/** Placeholder for a page while its data loads. */
export function PageSkeleton({ of: page }: { of: SkeletonName }) {
  return <OutlineSkeleton outline={PAGES[page]} />;
}
