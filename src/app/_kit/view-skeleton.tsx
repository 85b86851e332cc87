import { Skeleton } from "@/app/_ui/skeleton";

/** The size classes of a bar, or a group: its layout classes, then its bars. */
export type Bars = string | readonly Bars[];

export interface Outline {
  /** Announced while the view loads; null inside a view that is announced itself. */
  label: string | null;
  bars: Bars;
}

export const repeatRow = (count: number): string[] => Array.from({ length: count }, () => "h-5");

export const HEAD = "flex flex-col border-line border-b bg-panel px-4 py-3";

export const TABLE: Bars = [
  "flex flex-col px-4 py-2",
  ...["w-10/12", "w-9/12", "w-11/12", "w-8/12", "w-7/12", "w-6/12", "w-5/12"].map(
    (width): Bars => ["flex h-8 items-center gap-4 border-line border-b", "h-4 w-20 shrink-0", `h-3 ${width}`],
  ),
];
export const CONVERSATION: Bars = [
  "mx-auto flex w-full max-w-4xl flex-col gap-4 px-4 py-5",
  "h-9 w-1/2 self-end",
  "h-4 w-10/12",
  "h-4 w-8/12",
  "h-9 w-full",
  "h-4 w-9/12",
];
export const SERVER_TAB: Bars = ["flex flex-col gap-3 p-4", "h-8 w-full sm:w-80", ...repeatRow(6)];
const TOOL_COLUMN: Bars = ["flex flex-col gap-3", "h-5 w-2/5", "h-8 w-full", "h-8 w-full", "h-24 w-full"];

/** Outlines of what client components load; the pages have theirs in `page-skeleton.tsx`, which stay on the server. */
const VIEWS = {
  approvals: { label: "Loading approvals", bars: ["flex flex-col gap-2 p-3", "h-14", "h-14", "h-14"] },
  executions: { label: "Loading executions", bars: TABLE },
  run: {
    label: "Loading the run",
    bars: ["flex flex-col", [`${HEAD} gap-2`, "h-6 w-64", "h-4 w-96 max-w-full"], CONVERSATION],
  },
  runTab: { label: "Loading the run", bars: CONVERSATION },
  serverTab: { label: "Reading", bars: SERVER_TAB },
  tool: {
    label: null,
    bars: ["grid min-h-0 flex-1 grid-cols-1 gap-4 p-4 lg:grid-cols-2", TOOL_COLUMN, TOOL_COLUMN],
  },
} as const satisfies Record<string, Outline>;

/** Placeholder for a view while its data loads. */
export function ViewSkeleton({ of: view }: { of: keyof typeof VIEWS }) {
  return <OutlineSkeleton outline={VIEWS[view]} />;
}

export function OutlineSkeleton({ outline: { label, bars } }: { outline: Outline }) {
  return <Group bars={bars} label={label} />;
}

function Group({ bars, label = null }: { bars: Bars; label?: string | null }) {
  if (typeof bars === "string") return <Skeleton className={bars} />;
  const [layout, ...inner] = bars;
  return (
    <div role={label === null ? undefined : "status"} className={String(layout)}>
      {label !== null && <span className="sr-only">{label}</span>}
      {inner.map((each, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the outline of a view never changes
        <Group key={at} bars={each} />
      ))}
    </div>
  );
}
