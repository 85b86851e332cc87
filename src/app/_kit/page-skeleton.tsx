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

function buildCatalog(filter: string, count: number): Bars {
  const filters = "flex flex-wrap gap-2 border-line border-b bg-panel px-4 py-2.5";
  return [
    "",
    [filters, "h-8 min-w-50 flex-1 sm:max-w-80", filter, filter],
    ["flex flex-col gap-3 px-4 pt-11", ...repeatRow(count)],
  ];
}

/** Outlines of whole pages; imported by server components only. */
const PAGES = {
  account: { label: "Loading your account", bars: ["flex max-w-5xl flex-col gap-4 p-4", "h-40", "h-44", "h-28"] },
  audit: { label: "Loading the audit log", bars: TABLE },
  execution: {
    label: "Loading the execution",
    bars: [
      "flex flex-col gap-4 p-4",
      "h-6 w-64 max-w-full",
      "h-4 w-96 max-w-full",
      ["grid gap-4 xl:grid-cols-2", "h-64", "h-64"],
    ],
  },
  models: { label: "Loading models", bars: ["flex max-w-5xl flex-col gap-4 p-4", "h-40", "h-56"] },
  overview: {
    label: "Loading the overview",
    bars: ["flex flex-col gap-4 p-4", ["grid gap-4 xl:grid-cols-3", "h-60", "h-60", "h-60"], "h-17", "h-48"],
  },
  people: { label: "Loading people", bars: ["flex max-w-5xl flex-col gap-4 p-4", "h-56", "h-24"] },
  playground: { label: "Loading the run", bars: ["flex h-full flex-col", [HEAD, "h-6 w-48"], CONVERSATION] },
  server: {
    label: "Reading",
    bars: [
      "flex h-full flex-col",
      [`${HEAD} gap-3`, "h-6 w-60", "h-4 w-80 max-w-full", "h-5 w-full sm:w-120"],
      SERVER_TAB,
    ],
  },
  serverForm: {
    label: "Loading settings",
    bars: [
      "grid gap-4 p-4 lg:grid-cols-[minmax(0,44rem)_22rem]",
      ["flex flex-col gap-4", "h-14", "h-7 w-60", "h-14", "h-32"],
      "h-32",
    ],
  },
  servers: { label: "Loading servers", bars: buildCatalog("h-8 w-28", 5) },
  settings: { label: "Loading settings", bars: ["flex max-w-5xl flex-col gap-4 p-4", "h-28", "h-44", "h-36"] },
  toolEditor: {
    label: "Loading the definition",
    bars: [
      "grid gap-4 p-4 lg:grid-cols-[minmax(0,1fr)_22rem]",
      ["flex flex-col gap-4", "h-7 w-32", "h-14", "h-24", "h-48"],
      "h-24",
    ],
  },
  tools: { label: "Loading tools", bars: buildCatalog("h-8 w-24", 8) },
  transcript: {
    label: "Loading the transcript",
    bars: ["flex flex-col gap-4 p-4", "h-7 w-64", ["grid gap-4 lg:grid-cols-2", "h-72", "h-72"]],
  },
  toolsets: { label: "Loading toolsets", bars: ["flex flex-col gap-3 px-4 pt-11", ...repeatRow(5)] },
} as const satisfies Record<string, Outline>;

export type SkeletonName = keyof typeof PAGES;

/** Placeholder for a page while its data loads. */
export function PageSkeleton({ of: page }: { of: SkeletonName }) {
  return <OutlineSkeleton outline={PAGES[page]} />;
}
